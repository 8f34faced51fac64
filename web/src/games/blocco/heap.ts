// How cards lie within a row, a column of the hand or a pile, and which of them have just come.
import { countsOf } from '../../lib/cards';
import { grouped, sorted } from './cards';
import type { Held } from './choice';
import type { HandLayout } from './layout';
import type { Lay } from './protocol';

// --- A row --------------------------------------------------------------------------------------------

export interface Lying {
  card: string;
  x: number;
  last: boolean; // the front card of its colour
  count: number; // how many of its colour there are
  fresh: boolean;
}

const WITHIN = 0.15; // of a card: from a card to the next of its colour
const BETWEEN = 1.05; // from a colour to the next, where there is room

// Cards side by side, equal ones closer together; pushed together until they fit into `room`, and in its middle.
export function spread(
  cards: readonly string[],
  room: number,
  card: number,
  fresh: readonly string[] = [],
): Lying[] {
  const groups = grouped(cards);
  const inner = cards.length - groups.length;
  const outer = Math.max(0, groups.length - 1);
  let within = card * WITHIN;
  let between = card * BETWEEN;
  const free = Math.max(0, room - card);
  if (inner * within + outer * between > free) {
    between = outer ? Math.max(within * 2.4, (free - inner * within) / outer) : between;
    const scale = Math.min(1, free / (inner * within + outer * between));
    within *= scale;
    between *= scale;
  }
  const news = countsOf(fresh);
  const found: Lying[] = [];
  let x = Math.max(0, (free - inner * within - outer * between) / 2);
  for (const { card: colour, count } of groups) {
    for (let i = 0; i < count; i += 1) {
      // The new card is the front one of its colour: it is the one that can be seen.
      found.push({ card: colour, x, last: i === count - 1, count, fresh: i >= count - (news[colour] ?? 0) });
      x += i === count - 1 ? between : within;
    }
  }
  return found;
}

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

// --- A column of the hand -----------------------------------------------------------------------------

export interface Spot {
  x: number;
  y: number;
  loose: boolean; // not part of a whole group
}

const NEXT_GROUP = 2; // steps from a group to the next
const TO_LOOSE = 2.6; // and to what is left over
const STEP = 0.3; // of a card, at most

// Whole groups first, and what is left over in front of them, a little apart and lower.
export function columnOf(held: Held, hand: HandLayout): Spot[] {
  const { card, room, free, lift, low } = hand;
  const whole = held.count - held.rest;
  const steps = Array.from({ length: held.count }, (_, i): number => {
    if (i === 0) return 0;
    if (i === whole) return TO_LOOSE;
    return held.size > 1 && i < whole && i % held.size === 0 ? NEXT_GROUP : 1;
  });
  const sum = steps.reduce((all, each) => all + each, 0);
  // As far apart as there is room, but no farther than needed.
  const share = Math.min(1 / (sum || 1), (card * STEP) / Math.max(1, free.w, free.h));
  const left = room.x + (free.w - sum * share * free.w) / 2;
  let at = 0;
  return steps.map((each, i) => {
    at += each * share;
    const loose = i >= whole;
    return { x: left + at * free.w, y: room.y + lift + (loose ? low : 0) + at * free.h, loose };
  });
}

// --- A blocking pile ----------------------------------------------------------------------------------

export interface PileLayout {
  card: number;
  cards: { card: string; x: number; top: boolean }[];
  wide: number; // what all of it takes up
}

const MOST_OF_TOP = 8; // cards of the top lay that are drawn

// Each older lay is one card that peeks out; the top one lies open, all its cards a little apart.
export function pileOf(lays: readonly Lay[], w: number, h: number): PileLayout {
  const card = Math.floor(Math.min(h / 1.4, Math.max(w * 0.6, Math.min(w, 26))));
  const older = lays.slice(0, -1).map((lay) => ({ card: lay.colour, top: false, step: 1.7 }));
  const top = (lays.at(-1)?.cards ?? [])
    .slice(0, MOST_OF_TOP)
    .map((each) => ({ card: each, top: true, step: 1 }));
  const all = [...older, ...top];
  const sum = all.slice(0, -1).reduce((steps, each) => steps + each.step, 0);
  const step = Math.min(card * 0.15, Math.max(0, w - card) / (sum || 1));
  let x = 0;
  const cards = all.map((each) => {
    const found = { card: each.card, x, top: each.top };
    x += each.step * step;
    return found;
  });
  return { card, cards, wide: card + sum * step };
}

// --- Cards that are only counted ----------------------------------------------------------------------

// So many colours with their counts in a box: in how many columns, and how wide a card may be.
export function tallyOf(
  count: number,
  w: number,
  h: number,
  widest: number,
): { columns: number; card: number } {
  let best = { columns: Math.max(1, count), card: 0 };
  for (let rows = 1; rows <= 3; rows += 1) {
    const columns = Math.max(1, Math.ceil(count / rows));
    const card = Math.floor(Math.min(widest, w / columns - 4, (h / rows - 3) / 1.4));
    if (card > best.card) best = { columns, card };
  }
  return best;
}
