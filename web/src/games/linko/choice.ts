// Choosing cards to play. What may be played is what the server says; this only keeps the choice sensible.
import { countsOf } from '../../lib/cards';
import { extendable, playText } from './cards';
import type { Snatches } from './protocol';

export type Chosen = Record<string, number>;

// The choice after so many cards of a value were chosen: whatever no longer goes with it is dropped.
export function choose(chosen: Chosen, card: string, count: number, legal: readonly string[]): Chosen {
  const next: Chosen = { ...chosen, [card]: count };
  if (count === 0) delete next[card];
  if (extendable(next, legal)) return next;
  const jokers = next['X'];
  const alone: Chosen = count ? { [card]: count } : {};
  const withJokers: Chosen = jokers && card !== 'X' ? { ...alone, X: jokers } : alone;
  return extendable(withJokers, legal) ? withJokers : alone;
}

// What a press on the nth card of a value chooses, with whatever it is pressed: a card that lies rises with those
// before it; a card that has risen lies down again with those after it.
export const pressed = (picked: number, nth: number): number => (nth <= picked ? nth - 1 : nth);

// What a key chooses, which points at no card: one more, and after the last one none.
export const oneMore = (picked: number, count: number): number => (picked >= count ? 0 : picked + 1);

// The legal action that the choice stands for; empty if it is none yet.
export function actionOf(chosen: Chosen, legal: readonly string[]): string {
  const text = playText(chosen);
  return legal.includes(text) ? text : '';
}

// Whom an action would snatch from.
export function victims(
  action: string,
  snatches: readonly Snatches[],
): { seats: number[]; values: string[] } {
  const found = snatches.find((each) => each.action === action);
  return { seats: found?.seats ?? [], values: found?.values ?? [] };
}

// What is left of a choice when the hand has changed.
export function keep(chosen: Chosen, hand: readonly string[], legal: readonly string[]): Chosen {
  const counts = countsOf(hand);
  const found: Chosen = {};
  for (const [card, count] of Object.entries(chosen)) {
    const left = Math.min(count, counts[card] ?? 0);
    if (left) found[card] = left;
  }
  return extendable(found, legal) ? found : {};
}

// The value whose number of cards the stepper changes: the numbers if any are chosen, or else the jokers.
export const stepped = (chosen: Chosen): string | null =>
  Object.keys(chosen).find((card) => card !== 'X') ?? (chosen['X'] ? 'X' : null);

// The key for each value: 1 to 9, 0 for 10, then q, w, e, and x for jokers.
export const KEYS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['1', '2', '3', '4', '5', '6', '7', '8', '9'].map((value) => [value, value])),
  '0': '10',
  q: '11',
  w: '12',
  e: '13',
  x: 'X',
};
