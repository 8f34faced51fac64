// Where cards lie within a row or a pile, in widths of a card, and which cards of the circle are new.
import { countsOf, grouped, sorted } from '../lib/cards';

export interface Lying {
  card: string;
  x: number;
  last: boolean; // the front card of its colour
  count: number; // how many of its colour there are
  fresh: boolean;
}

const WITHIN = 0.17; // from a card to the next of its colour
const BETWEEN = 0.58; // from a colour to the next

// Cards side by side, equal ones closer together; pushed together until they fit into `room`.
export function spread(cards: readonly string[], room: number, fresh: readonly string[] = []): Lying[] {
  const groups = grouped(cards);
  const wide =
    groups.reduce((sum, group) => sum + (group.count - 1) * WITHIN, 0) +
    Math.max(0, groups.length - 1) * BETWEEN;
  const scale = Math.min(1, (room - 1) / (wide || 1));
  const news = countsOf(fresh);
  const found: Lying[] = [];
  let x = 0;
  for (const { card, count } of groups) {
    for (let i = 0; i < count; i += 1) {
      // The new card is the front one of its colour: it is the one that can be seen.
      found.push({ card, x, last: i === count - 1, count, fresh: i >= count - (news[card] ?? 0) });
      x += (i === count - 1 ? BETWEEN : WITHIN) * scale;
    }
  }
  return found;
}

export const widthOf = (cards: readonly Lying[]): number => (cards.at(-1)?.x ?? 0) + 1;

// What has come to each row: the cards beyond those that lay there, or all of them if the row was taken away.
export function freshCards(before: readonly string[][], after: readonly string[][]): string[][] {
  return after.map((row, place) => {
    const left = countsOf(before[place] ?? []);
    const fresh: string[] = [];
    for (const card of sorted(row)) {
      if ((left[card] ?? 0) > 0) left[card] = (left[card] ?? 0) - 1;
      else fresh.push(card);
    }
    return Object.values(left).some((count) => count > 0) ? sorted(row) : fresh;
  });
}

// Where the eight places are: on a wide screen around an oval, on a narrow one around a square.
export interface Spot {
  oval: [number, number];
  square: [number, number];
}
const SQUARE: [number, number][] = [
  [0, -1],
  [1, -1],
  [1, 0],
  [1, 1],
  [0, 1],
  [-1, 1],
  [-1, 0],
  [-1, -1],
];
export const SPOTS: Spot[] = SQUARE.map((square, i) => {
  const angle = (i * Math.PI) / 4;
  const round = (n: number) => Math.round(n * 1000) / 1000;
  return { oval: [round(Math.sin(angle)), round(-Math.cos(angle))], square };
});

// From which place an arrow key leads to which: around the circle.
export const nextPlace = (place: number, by: 1 | -1): number =>
  ((place - 1 + by + SPOTS.length) % SPOTS.length) + 1;
