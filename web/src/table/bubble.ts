// Where the words of the guide lie: never over what they are about, and over as little else as can be.
import type { Box, Size } from './layout';

export interface Weighed extends Box {
  weight: number; // how much it matters that it is to be seen
}
export interface Arrow {
  x1: number;
  y1: number;
  x2: number;
  y2: number;
}

const EDGE = 6; // to the edge of the table
const APART = 18; // from what is pointed at, so that there is room for an arrow
const LONG = 96; // an arrow is no longer: from far away only its end is drawn
const WIDE = 6; // half of an arrow, where it is widest
const ALONG = [0.5, 0.35, 0.65, 0.2, 0.8, 0.08, 0.92]; // where an arrow may stand beside what it points at, the best first
const STEPS = 24; // places that are tried, each way

export const overlap = (a: Box, b: Box): number =>
  Math.max(0, Math.min(a.x + a.w, b.x + b.w) - Math.max(a.x, b.x)) *
  Math.max(0, Math.min(a.y + a.h, b.y + b.h) - Math.max(a.y, b.y));

const grown = ({ x, y, w, h }: Box, by: number): Box => ({
  x: x - by,
  y: y - by,
  w: w + 2 * by,
  h: h + 2 * by,
});

// How far two boxes are apart.
function distance(a: Box, b: Box): number {
  const dx = Math.max(0, a.x - (b.x + b.w), b.x - (a.x + a.w));
  const dy = Math.max(0, a.y - (b.y + b.h), b.y - (a.y + a.h));
  return Math.hypot(dx, dy);
}

function ending({ x1, y1, x2, y2 }: Arrow): Arrow {
  const part = Math.min(1, LONG / Math.hypot(x2 - x1, y2 - y1));
  return { x1: x2 - (x2 - x1) * part, y1: y2 - (y2 - y1) * part, x2, y2 };
}

// How much of a straight, upright or level line runs over a box.
function crossing({ x1, y1, x2, y2 }: Arrow, box: Box): number {
  const [left, right] = [Math.min(x1, x2) - WIDE, Math.max(x1, x2) + WIDE];
  const [top, bottom] = [Math.min(y1, y2), Math.max(y1, y2)];
  const w = Math.min(right, box.x + box.w) - Math.max(left, box.x);
  const h = Math.min(bottom, box.y + box.h) - Math.max(top, box.y);
  return w > 0 && h > 0 ? Math.hypot(w, h) : 0;
}

// How much of an arrow runs over words.
export const over = (arrow: Arrow, words: readonly Box[]): number =>
  words.reduce((sum, box) => sum + crossing(arrow, box), 0);

// The place for a bubble. The first target is the one that the arrow points at; words are better not crossed by it.
export function placeOf(
  bubble: Size,
  table: Size,
  targets: readonly Box[],
  others: readonly Weighed[],
  words: readonly Box[] = [],
): Box {
  const right = Math.max(EDGE, table.w - bubble.w - EDGE);
  const bottom = Math.max(EDGE, table.h - bubble.h - EDGE);
  let best: Box = { x: (EDGE + right) / 2, y: EDGE, ...bubble };
  let least = Infinity;
  for (let i = 0; i <= STEPS; i++)
    for (let j = 0; j <= STEPS; j++) {
      const at = {
        x: EDGE + ((right - EDGE) * i) / STEPS,
        y: EDGE + ((bottom - EDGE) * j) / STEPS,
        ...bubble,
      };
      let cost = 0;
      for (const [n, target] of targets.entries()) cost += overlap(at, grown(target, n ? 2 : APART)) * 20_000;
      for (const other of others) cost += overlap(at, other) * other.weight;
      const first = targets[0];
      if (first) cost += distance(at, first) * 30 + Math.abs(at.x + at.w / 2 - (first.x + first.w / 2)) * 8;
      else cost += at.y;
      if (first && words.length && cost < least) {
        const arrow = arrowOf(at, first, words);
        if (arrow) cost += over(arrow, words) * 2000;
      }
      if (cost < least) [least, best] = [cost, at];
    }
  return { ...best, x: Math.round(best.x), y: Math.round(best.y) };
}

// An arrow from the bubble to the nearest edge of what it is about, where it crosses the fewest words; null if there
// is no room for one.
export function arrowOf(bubble: Box, target: Box, words: readonly Box[] = []): Arrow | null {
  if (distance(bubble, target) < 8) return null;
  const above = bubble.y + bubble.h <= target.y;
  const below = bubble.y >= target.y + target.h;
  const upright = above || below;
  const [from, length] = upright ? [bubble.x, bubble.w] : [bubble.y, bubble.h];
  const [other, otherLength] = upright ? [target.x, target.w] : [target.y, target.h];
  const [start, end] = above
    ? [bubble.y + bubble.h, target.y - 3]
    : below
      ? [bubble.y, target.y + target.h + 3]
      : bubble.x + bubble.w <= target.x
        ? [bubble.x + bubble.w, target.x - 3]
        : [bubble.x, target.x + target.w + 3];
  const line = (a: number, b: number): Arrow =>
    ending(upright ? { x1: a, y1: start, x2: b, y2: end } : { x1: start, y1: a, x2: end, y2: b });
  const low = Math.max(from, other);
  const high = Math.min(from + length, other + otherLength);
  if (low > high)
    return from > other
      ? line(from + Math.min(20, length / 2), other + otherLength * 0.8)
      : line(from + length - Math.min(20, length / 2), other + otherLength * 0.2);
  const straight = ALONG.map((part) => low + (high - low) * part).map((at) => line(at, at));
  return straight.reduce((best, each) => (over(each, words) < over(best, words) ? each : best));
}
