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
const APART = 14; // from what is pointed at, so that there is room for an arrow
const STEPS = 24; // places that are tried, each way

const overlap = (a: Box, b: Box): number =>
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

// The place for a bubble. The first target is the one that the arrow points at.
export function placeOf(bubble: Size, table: Size, targets: readonly Box[], others: readonly Weighed[]): Box {
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
      for (const [n, target] of targets.entries()) cost += overlap(at, grown(target, n ? 2 : APART)) * 1000;
      for (const other of others) cost += overlap(at, other) * other.weight;
      const first = targets[0];
      if (first) cost += distance(at, first) * 30 + Math.abs(at.x + at.w / 2 - (first.x + first.w / 2)) * 8;
      else cost += at.y;
      if (cost < least) [least, best] = [cost, at];
    }
  return { ...best, x: Math.round(best.x), y: Math.round(best.y) };
}

// An arrow from the bubble to the nearest edge of what it is about; null if there is no room for one.
export function arrowOf(bubble: Box, target: Box): Arrow | null {
  const between = (from: number, length: number, other: number, otherLength: number): [number, number] => {
    const low = Math.max(from, other);
    const high = Math.min(from + length, other + otherLength);
    if (low <= high) return [(low + high) / 2, (low + high) / 2];
    return from > other
      ? [from + Math.min(20, length / 2), other + otherLength * 0.8]
      : [from + length - Math.min(20, length / 2), other + otherLength * 0.2];
  };
  if (distance(bubble, target) < 8) return null;
  const above = bubble.y + bubble.h <= target.y;
  const below = bubble.y >= target.y + target.h;
  if (above || below) {
    const [x1, x2] = between(bubble.x, bubble.w, target.x, target.w);
    return above
      ? { x1, y1: bubble.y + bubble.h, x2, y2: target.y - 3 }
      : { x1, y1: bubble.y, x2, y2: target.y + target.h + 3 };
  }
  const [y1, y2] = between(bubble.y, bubble.h, target.y, target.h);
  return bubble.x + bubble.w <= target.x
    ? { x1: bubble.x + bubble.w, y1, x2: target.x - 3, y2 }
    : { x1: bubble.x, y1, x2: target.x + target.w + 3, y2 };
}
