// Cards and players in words.
import { grouped } from '../lib/cards';
import { t, tryT } from '../lib/i18n.svelte';
import type { Lay, SeatInfo } from '../lib/protocol';
import { seatName } from '../lib/scene';

export const colourName = (colour: string): string => tryT(`blocco.colour.${colour}`) ?? colour;

// "2 light blue, 1 red"
export const cardWords = (cards: readonly string[]): string =>
  grouped(cards)
    .map(({ card, count }) => t('blocco.amount', { count, colour: colourName(card) }))
    .join(', ');

// A blocking pile in words, the top first, as that is what counts.
export function pileWords(pile: readonly Lay[]): string {
  if (pile.length === 0) return t('blocco.pile.empty');
  const lays = [...pile].reverse().map(({ colour, cards }, place) => {
    const values = { count: cards.length, colour: colourName(colour) };
    return place === 0 ? t('blocco.amount.top', values) : t('blocco.amount', values);
  });
  return t('blocco.pile', { cards: lays.join(', ') });
}

// The viewer is "You" where a name stands alone.
export const shortName = (seats: SeatInfo[], who: number, me: number | null): string =>
  who === me ? t('blocco.you') : seatName(seats, who);

// A name for very little room: "Greedy 2" is "G2", "Anna" is herself.
export function tagOf(name: string): string {
  const parts = name.split(/\s+/).filter(Boolean);
  const [first = '', last = ''] = [parts[0], parts.at(-1)];
  return parts.length > 1
    ? [...first].slice(0, 1).join('') + [...last].slice(0, 2).join('')
    : [...first].slice(0, 4).join('');
}
