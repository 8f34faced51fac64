// Where the things of Blocco lie within the boxes of the table. All of it follows from the window and the number of
// players; how cards lie within a row, a column or a pile is in `heap.ts`.
import { clamp, type Box, type Frame, type Needs, type Shape, type Size } from '../../table/layout';
import { COLOURS } from './cards';

const NONE = { least: 0, share: 0, most: 0 };

// In a wide window the own piles lie beside the hand, so that the ring gets their height.
export const needs =
  (players: number) =>
  (shape: Shape): Needs => {
    const opponents = players - 1;
    if (shape === 'portrait')
      return {
        opponents,
        seats: { least: 103, share: 0.8, most: 200 },
        middle: { least: 134, share: 2.4, most: 640 },
        own: { least: 58, share: 0.4, most: 120 },
        hand: { least: 146, share: 1.6, most: 420 },
      };
    if (shape === 'landscape')
      return {
        opponents,
        seats: { least: 62, share: 0.3, most: 100 },
        middle: { least: 132, share: 1, most: 260 },
        own: NONE, // beside the middle
        hand: { least: 118, share: 0.8, most: 220 },
      };
    return {
      opponents,
      seats: { least: 82, share: 0.9, most: 230 },
      middle: { least: 206, share: 2.2, most: 1100 },
      own: NONE, // beside the hand
      hand: { least: 146, share: 1.3, most: 400 },
      side: { least: 168, share: 0.19, most: 400 },
    };
  };

// The frame with a box for the own piles in every shape.
export function settled(frame: Frame): Frame {
  if (frame.shape !== 'wide') return frame;
  const { x, y, w, h } = frame.hand;
  const gap = clamp(w * 0.011, 8, 20);
  const own = Math.round(clamp(w * 0.17, 176, 380));
  return { ...frame, own: { x, y, w: own, h }, hand: { x: x + own + gap, y, w: w - own - gap, h } };
}

// --- The ring -----------------------------------------------------------------------------------------

export interface Ring {
  card: number; // the width of a card
  deck: Box;
  rows: Box[]; // eight, clockwise from the top
  number: number; // the width of the strip for the number of a row
}

// Columns and lines around the deck, clockwise from the top.
const AROUND = [[0, -1], [1, -1], [1, 0], [1, 1], [0, 1], [-1, 1], [-1, 0], [-1, -1]] as const; // prettier-ignore
export const PLACES = AROUND.length;
const WIDEST = 3.8; // cards: more a row does not need
const BULGE = 1.24; // the two rows beside the deck stand farther out, where there is room

export function ringOf(box: Box): Ring {
  const gap = clamp(Math.min(box.h * 0.025, box.w * 0.014), 4, 18);
  const h = Math.floor((box.h - 2 * gap) / 3);
  const pad = clamp(h * 0.06, 2, 9);
  const number = clamp(h * 0.22, 12, 24);
  const most = (box.w - 2 * gap) / 3;
  const card = Math.floor(Math.min((h - 2 * pad) / 1.4, (most - number - pad) * 0.55));
  const w = Math.floor(Math.min(most, card * WIDEST + number + pad));
  const middle = { x: box.x + box.w / 2, y: box.y + box.h / 2 };
  const across = (line: number) => Math.min(box.w / 2 - w / 2, (w + gap) * (line === 0 ? BULGE : 1));
  const at = (column: number, line: number): Box => ({
    x: Math.round(middle.x + column * across(line) - w / 2),
    y: Math.round(middle.y + line * (h + gap) - h / 2),
    w,
    h,
  });
  return { card, number, deck: at(0, 0), rows: AROUND.map(([column, line]) => at(column, line)) };
}

// From which place an arrow key leads to which: around the ring.
export const nextPlace = (place: number, by: 1 | -1): number => ((place - 1 + by + PLACES) % PLACES) + 1;

// --- The hand -----------------------------------------------------------------------------------------

export interface HandLayout {
  columns: Box[]; // one for each colour, within the hand
  head: number; // the height of the line that says who blocks
  foot: number; // the height of the line with the groups
  card: number; // the width of a card
  room: Box; // for cards, within a column
  free: Size; // how far the last card may lie from the first
  lift: number; // how far chosen cards rise
  low: number; // how much lower loose cards lie
}

const PAD = 3;
const FREE = 0.45; // of a card: how much room there is at least for cards that overlap, to the side and downwards

export function handOf(box: Box): HandLayout {
  const gap = clamp(box.w * 0.008, 3, 14);
  const w = Math.floor((box.w - gap * (COLOURS.length - 1)) / COLOURS.length);
  const head = Math.round(clamp(box.h * 0.12, 19, 32));
  const foot = Math.round(clamp(box.h * 0.1, 15, 26));
  const room = { x: PAD, y: head, w: w - 2 * PAD, h: box.h - head - foot };
  const lift = Math.round(clamp(room.h * 0.08, 6, 20));
  const low = Math.round(lift * 0.7);
  const high = room.h - lift - low - 2;
  const card = Math.floor(Math.min(room.w, high / 1.4, (room.w + high) / (2.4 + FREE)));
  const columns = COLOURS.map((_, i) => ({ x: Math.round(i * (w + gap)), y: 0, w, h: box.h }));
  return { columns, head, foot, card, room, free: { w: room.w - card, h: high - card * 1.4 }, lift, low };
}

// --- A seat -------------------------------------------------------------------------------------------

export interface SeatLayout {
  column: boolean; // the plate above the piles, and not beside them
  tight: boolean;
  pad: number;
  face: number;
  plate: Size;
  rest: Size;
}

const FIGURES = 128; // the width of points, hand size and what is known
const FACE = 26; // a face at least
const PLATE = 57; // the height of a plate at least
const TIGHT_PLATE = 50;
const PILE = 44; // the height of a pile below a plate, at least
const PILES = 90; // the width of the piles at least

// `large`: for a screen that is looked at from afar.
export function seatOf(box: Box, large = false): SeatLayout {
  const column = box.h >= 92 && (box.w < 300 || box.h > box.w * 0.62);
  const pad = box.h < 115 || box.w < 150 ? 5 : 7;
  const inner = { w: box.w - 2 * pad, h: box.h - 2 * pad };
  const most = column ? inner.w : inner.w - PILES - 8; // of a plate's width
  const figures = large ? clamp(box.w * 0.34, FIGURES, 330) : FIGURES;
  const tight = most < FIGURES + FACE + 8 || inner.h < PLATE + (column ? PILE : 0);
  const high = column ? Math.round(tight ? TIGHT_PLATE : clamp(inner.h * 0.28, PLATE, 80)) : inner.h;
  const face = Math.round(
    tight ? 24 : clamp(Math.min(high * 0.72, most - figures - 8), FACE, large ? 110 : 60),
  );
  const wide = column
    ? inner.w
    : tight
      ? clamp(inner.w * 0.5, 74, 150)
      : Math.min(most, face + 8 + figures + 24);
  const rest = column ? { w: inner.w, h: inner.h - high - 4 } : { w: inner.w - wide - 8, h: inner.h };
  return { column, tight, pad, face, plate: { w: Math.round(wide), h: high }, rest };
}
