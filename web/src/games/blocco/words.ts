// The words of Blocco: cards, players, and why something cannot be chosen.
import { tryT, wordsWith } from '../../lib/i18n.svelte';
import { rowOf } from '../../lib/names';
import type { SeatInfo, Why } from '../../lib/protocol';
import { seatName, type Scene } from '../../lib/scene';
import { grouped } from './cards';
import type { Held } from './choice';
import type en from './locales/en.json';
import type { Lay } from './protocol';

export const t = wordsWith<keyof typeof en>();

export const colourName = (colour: string): string => tryT(`blocco.colour.${colour}`) ?? colour;

// "2 light blue, 1 red"
export const cardWords = (cards: readonly string[]): string =>
  rowOf(grouped(cards).map(({ card, count }) => t('blocco.amount', { count, colour: colourName(card) })));

// A blocking pile in words, the top first, as that is what counts.
export function pileWords(pile: readonly Lay[]): string {
  if (pile.length === 0) return t('blocco.pile.empty');
  const lays = [...pile].reverse().map(({ colour, cards }, place) => {
    const values = { count: cards.length, colour: colourName(colour) };
    return place === 0 ? t('blocco.amount.top', values) : t('blocco.amount', values);
  });
  return t('blocco.pile', { cards: rowOf(lays) });
}

// The viewer is "You" where a name stands alone.
export const shortName = (seats: SeatInfo[], who: number, me: number | null): string =>
  who === me ? t('blocco.you') : seatName(seats, who);

// Who keeps a colour from the others.
export function whoBlocks(blocker: number | null, scene: Pick<Scene, 'seats' | 'seat'>): string {
  if (blocker === null) return t('blocco.column.free');
  if (blocker === scene.seat) return t('blocco.column.yours');
  return t('blocco.column.blocked', { name: seatName(scene.seats, blocker) });
}

// A colour of the hand, for screen readers.
export function columnWords(
  column: Held,
  hidden: boolean,
  blocker: number | null,
  scene: Pick<Scene, 'seats' | 'seat'>,
): string {
  const colour = colourName(column.colour);
  const groups = t('blocco.groups', { count: column.groups });
  const first = hidden
    ? t('blocco.column.plain', { colour })
    : column.count
      ? t('blocco.column', { colour, count: column.count, groups })
      : t('blocco.column.none', { colour });
  return t('blocco.column.and', { column: first, blocks: whoBlocks(blocker, scene) });
}

// Cards of an event: equal ones together, but those that fill the rows in the order of their places.
export function cardsInWords(cards: readonly string[], kind = ''): string {
  const nameOf = (card: string) => tryT(`card.${card}`) ?? card;
  if (kind === 'fills') return rowOf(cards.map(nameOf));
  return rowOf(
    grouped(cards).map(({ card, count }) =>
      count > 1 ? t('blocco.cards', { count, card: nameOf(card) }) : nameOf(card),
    ),
  );
}

export function whyText(why: Why | null, scene: Pick<Scene, 'seats'>): string {
  if (!why) return '';
  const name = seatName(scene.seats, why.seat);
  return (
    tryT(`blocco.why.${why.code}`, { name, count: why.count }) ??
    tryT(`table.why.${why.code}`, { name }) ??
    ''
  );
}
