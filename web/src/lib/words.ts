// Events of a game and of a table in the reader's language.
import type { GameEvent, Happening, SeatInfo } from './protocol';
import { grouped, isBlocco } from './cards';
import { tryT } from './i18n.svelte';
import { seatName } from './scene';

const dashed = (kind: string) => kind.replaceAll(' ', '-');

// Linko's cards are their values; Blocco's are named, equal ones together.
export function cardsText(cards: readonly string[]): string {
  if (!cards.some(isBlocco)) return cards.join(' ');
  return grouped(cards)
    .map(({ card, count }) => (count > 1 ? `${count}× ` : '') + (tryT(`card.${card}`) ?? card))
    .join(', ');
}

export function eventText(game: string, event: GameEvent, seats: SeatInfo[]): string {
  return (
    tryT(`${game}.event.${dashed(event.kind)}`, {
      seat: seatName(seats, event.seat),
      other: seatName(seats, event.other),
      cards: cardsText(event.cards),
      count: event.count,
      place: event.place,
    }) ?? event.kind
  );
}

// What happened at the table, apart from the cards; null for what needs no words.
export function tableText(what: Pick<Happening, 'kind' | 'seat' | 'by'>, seats: SeatInfo[]): string | null {
  const name = seatName(seats, what.seat);
  return tryT(`table.event.${what.kind}${what.kind === 'stoodin' && what.by ? `.${what.by}` : ''}`, { name });
}

export function partText(game: string, name: string): string {
  return tryT(`${game}.part.${dashed(name)}`) ?? name;
}
