// Where the things of Linko lie within the boxes of the table.
import { clamp, type Box, type Needs, type Shape, type Size } from '../../table/layout';

// A duel has the virtual player's row in the middle besides.
export const needs =
  (players: number, duel: boolean) =>
  (shape: Shape): Needs => {
    const opponents = players - 1;
    if (shape === 'portrait')
      return {
        opponents,
        seats: { least: 94, share: 1, most: 210 },
        middle: duel ? { least: 126, share: 1.3, most: 380 } : { least: 60, share: 1.5, most: 320 },
        own: { least: 64, share: 0.7, most: 190 },
        hand: { least: 124, share: 0.9, most: 330 },
      };
    if (shape === 'landscape')
      return {
        opponents,
        seats: { least: 84, share: 0.5, most: 120 },
        middle: { least: duel ? 118 : 92, share: 0.8, most: 170 },
        own: { least: 0, share: 0, most: 0 }, // beside the middle
        hand: { least: 104, share: 1.2, most: 170 },
      };
    return {
      opponents,
      seats: { least: duel ? 82 : 104, share: 1, most: 260 },
      middle: duel ? { least: 178, share: 1.8, most: 560 } : { least: 92, share: 0.9, most: 260 },
      own: { least: 76, share: 0.8, most: 230 },
      hand: { least: 112, share: 1.2, most: 330 },
      side: { least: 168, share: 0.19, most: 400 },
    };
  };

export interface Supply {
  card: number; // the width of a card
  deck: Box;
  slots: Box[];
  discard: Box;
  row: Box | null;
}

const LABEL = 15; // above the row, who it belongs to

// The deck, the display and the discard pile: in a line, or where that makes larger cards in two, with the deck above
// the discard pile. In a duel the row lies above them.
export function supplyOf(box: Box, duel: boolean): Supply {
  const rowHeight = duel ? Math.floor(box.h * 0.47) : 0;
  const room = { x: box.x, y: box.y + rowHeight, w: box.w, h: box.h - rowHeight };
  const tall = duel ? 1.4 * 1.24 : 1.4; // a group needs room for the cards that peek out
  const line = pilesOf(room, 1, tall);
  const lines = pilesOf(room, 2, tall);
  return {
    ...(lines.card > line.card * 1.15 ? lines : line),
    row: duel ? { x: box.x, y: box.y + LABEL, w: box.w, h: rowHeight - LABEL - 4 } : null,
  };
}

function pilesOf(box: Box, lines: 1 | 2, tall: number): Omit<Supply, 'row'> {
  const gap = clamp(box.w * 0.012, 5, 22);
  const across = lines === 1 ? 8 : 4;
  const apart = lines === 1 ? 2 : 1; // the deck, and the discard pile in a line, stand a little apart
  const card = Math.floor(
    Math.min(
      (box.w - gap * (across - 1 + apart) - 6) / across,
      (box.h - 6 - (lines - 1) * gap) / lines / tall,
      box.w * 0.15,
    ),
  );
  const high = Math.floor(card * tall);
  const left = box.x + (box.w - card * across - gap * (across - 1 + apart)) / 2;
  const top = box.y + (box.h - high * lines - gap * (lines - 1)) / 2;
  const pile = (column: number, row: number): Box => ({
    x: Math.round(left + column * (card + gap) + (column > 0 ? gap : 0) + (column > 6 ? gap : 0)),
    y: Math.round(top + row * (high + gap)),
    w: card,
    h: high,
  });
  return {
    card,
    deck: pile(0, 0),
    slots: Array.from({ length: 6 }, (_, slot) =>
      lines === 1 ? pile(slot + 1, 0) : pile((slot % 3) + 1, Math.floor(slot / 3)),
    ),
    discard: lines === 1 ? pile(7, 0) : pile(0, 1),
  };
}

export const PAD = 6; // around what belongs to a player

// How a player's plate lies beside the sets, or above them where the box is high or narrow.
export interface PlateLayout {
  column: boolean; // the plate lies above the sets
  tight: boolean;
  plate: Size;
  face: number;
  rest: Size; // for the sets
}

export function plateOf(box: Box, own: boolean): PlateLayout {
  const inner = { w: box.w - 2 * PAD, h: box.h - 2 * PAD };
  const narrow = box.w < 140;
  const column = narrow || box.h > box.w * 0.75 || (own && box.w < 260);
  const tight = narrow || (box.w < 240 && !own && !column);
  if (column) {
    const h = narrow ? 46 : own ? 44 : Math.max(62, box.w * 0.24);
    const face = narrow ? 24 : own ? 36 : Math.max(44, box.w * 0.2);
    return { column, tight, plate: { w: inner.w, h }, face, rest: { w: inner.w, h: inner.h - h - 4 } };
  }
  const w = tight ? 84 : Math.max(own ? 164 : 140, Math.min(inner.w * 0.52, Math.max(250, box.w * 0.36)));
  // Beside the face there is room for three figures.
  const face = tight ? 26 : clamp(inner.h * 0.46, 34, Math.max(36, Math.min(w * 0.3, w - 132)));
  return { column, tight, plate: { w, h: inner.h }, face, rest: { w: inner.w - w - 8, h: inner.h } };
}

// How a player's sets lie: older ones as a thin stack of spines, the top one open.
export interface SetsLayout {
  card: number;
  step: number; // from a card of the top set to the next
  spine: number; // the width of an older set
  shown: number; // older sets that have a spine; the oldest are only counted
  left: number; // where the spines begin
  top: number; // where the top set begins
}

export function setsOf(layers: readonly string[][], w: number, h: number): SetsLayout {
  const count = layers.at(-1)?.length ?? 1;
  const older = Math.max(0, layers.length - 1);
  const card = Math.floor(Math.max(18, Math.min(h / 1.4, w * (older ? 0.58 : 0.9))));
  const most = older ? w * 0.7 : w;
  const step = count > 1 ? Math.min(card * 0.36, Math.max(0, most - card) / (count - 1)) : 0;
  const top = card + step * (count - 1);
  const room = w - top - (older ? 4 : 0);
  const spine = older ? Math.min(card * 0.36, Math.max(3, room / older)) : 0;
  const shown = Math.max(0, Math.min(older, Math.floor(room / (spine || 1) + 0.01)));
  const whole = shown * spine + (shown ? 4 : 0) + top;
  const left = Math.max(0, (w - whole) / 2);
  return { card, step, spine, shown, left, top: left + shown * spine + (shown ? 4 : 0) };
}

// How wide the cards of another player's open hand are, so that all of it is to be seen: equal cards lie over each
// other, groups beside each other in as many rows as there is room for.
export const OPEN_GAP = 2;
export const openStep = (card: number): number => Math.round(card * 0.29); // from one of several equal cards to the next
export function openCard(counts: readonly number[], w: number, h: number): number {
  for (let card = 21; card > 11; card--) {
    const widths = counts.map((count) => card + (count - 1) * openStep(card));
    let [rows, x] = [1, 0];
    for (const width of widths) {
      if (x > 0 && x + width > w) [rows, x] = [rows + 1, 0];
      x += width + OPEN_GAP;
    }
    if (rows * (card * 1.4 + OPEN_GAP) - OPEN_GAP <= h) return card;
  }
  return 11;
}
