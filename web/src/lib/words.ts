// Events of a game and of a table in the reader's language, in pieces: words, players and cards.
import { cardsetOf } from '../games/registry';
import type { MomentOf } from './http';
import { pieces, tryT } from './i18n.svelte';
import type { GameEvent, Happening, SeatInfo } from './protocol';
import { seatName } from './scene';

export type Piece = { text: string } | { cards: string[]; words: string };

const dashed = (kind: string) => kind.replaceAll(' ', '-');

// The reader is "you", as the one who acts or as the one it happens to, where the language has such a sentence.
function keyOf(game: string, event: GameEvent, me: number | null): string {
  const key = `${game}.event.${dashed(event.kind)}`;
  const own = me === null ? '' : event.seat === me ? `${key}.you` : event.other === me ? `${key}.to-you` : '';
  return own && tryT(own) !== null ? own : key;
}

export function eventPieces(
  game: string,
  event: GameEvent,
  seats: SeatInfo[],
  me: number | null = null,
): Piece[] {
  const found = pieces(keyOf(game, event, me), event.count);
  if (!found) return [{ text: event.kind }];
  const { sorted, words } = cardsetOf(game);
  return found.map(({ text, name }): Piece => {
    if (name === 'cards')
      return { cards: sorted(event.cards, event.kind), words: words(event.cards, event.kind) };
    if (name === 'seat') return { text: seatName(seats, event.seat) };
    if (name === 'other') return { text: seatName(seats, event.other) };
    if (name === 'count') return { text: String(event.count) };
    if (name === 'place') return { text: String(event.place) };
    return { text };
  });
}

export const textOf = (found: readonly Piece[]): string =>
  found.map((piece) => ('text' in piece ? piece.text : piece.words)).join('');

export function eventText(
  game: string,
  event: GameEvent,
  seats: SeatInfo[],
  me: number | null = null,
): string {
  return textOf(eventPieces(game, event, seats, me));
}

// What happened at the table, apart from the cards; null for what needs no words.
export function tableText(what: Pick<Happening, 'kind' | 'seat' | 'by'>, seats: SeatInfo[]): string | null {
  const name = seatName(seats, what.seat);
  const how = (what.kind === 'stoodin' || what.kind === 'stood') && what.by ? `.${what.by}` : '';
  return tryT(`table.event.${what.kind}${how}`, { name });
}

// One of the best moments of a game, as a sentence with cards.
export function momentPieces(game: string, moment: MomentOf, seats: SeatInfo[]): Piece[] {
  const found = pieces(`${game}.moment.${dashed(moment.kind)}`, moment.size);
  if (!found) return [{ text: moment.kind }];
  const { sorted, words } = cardsetOf(game);
  return found.map(({ text, name }): Piece => {
    if (name === 'cards')
      return { cards: sorted(moment.cards, 'plays'), words: words(moment.cards, 'plays') };
    if (name === 'seat') return { text: seatName(seats, moment.seat) };
    if (name === 'count') return { text: String(moment.size) };
    return { text };
  });
}

export function partText(game: string, name: string): string {
  return tryT(`${game}.part.${dashed(name)}`) ?? name;
}

// Points with their sign, as they are printed.
export const signed = (points: number): string =>
  points > 0 ? `+${points}` : points < 0 ? `−${-points}` : '0';
