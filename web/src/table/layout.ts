// Where everything lies at a table: the one place where sizes come from. The boxes follow from the window, the game
// and the number of players alone, never from the state of a game, so nothing jumps while it is played.
//
//   portrait   opponents in a strip; the middle; own cards on the table; the hand; the bar
//   landscape  opponents in a strip; own cards beside the middle; the hand beside the bar (a phone on its side)
//   wide       opponents around the middle; own cards; the hand; the bar; the log has a column of its own

export interface Size {
  w: number;
  h: number;
}
export interface Box extends Size {
  x: number;
  y: number;
}
export type Shape = 'portrait' | 'landscape' | 'wide';

// How a length is shared out: what a part needs at least, its share of the rest, and what it can use at most.
export interface Part {
  least: number;
  share: number;
  most: number;
}

// What a game asks of the table, by shape.
export interface Needs {
  opponents: number;
  seats: Part; // how high the plates of opponents are where they lie in a strip
  middle: Part;
  own: Part;
  hand: Part;
  side?: Part; // wide: how wide the columns beside the middle are, from three opponents on
}

export interface Frame {
  shape: Shape;
  seats: Box[]; // of the opponents, clockwise from the viewer's left
  middle: Box;
  own: Box;
  hand: Box;
  bar: Box | null;
}

// --- The page around the table ------------------------------------------------------------------------

export interface Page {
  header: number; // its height
  panel: number; // the width of the column for log and chat; 0: it is a sheet that opens
}

export function pageOf(width: number, height: number): Page {
  const header = height < 480 ? 38 : height < 700 ? 46 : 52;
  const roomy = width >= 1100 && height >= 520;
  const panel = !roomy ? 0 : Math.round(clamp(width * 0.2, 270, 420));
  return { header, panel };
}

export function shapeOf({ w, h }: Size): Shape {
  if (w < h * 0.95) return 'portrait';
  return h < 470 ? 'landscape' : 'wide';
}

// --- The table ----------------------------------------------------------------------------------------

export function frameOf(size: Size, needs: (shape: Shape) => Needs, bar = true): Frame {
  const shape = shapeOf(size);
  const wanted = needs(shape);
  if (shape === 'portrait') return portrait(size, wanted, bar);
  return shape === 'landscape' ? landscape(size, wanted, bar) : wide(size, wanted, bar);
}

function portrait({ w, h }: Size, needs: Needs, bar: boolean): Frame {
  const gap = h < 700 ? 5 : h < 1000 ? 8 : 14;
  const edge = w < 500 ? 6 : 14;
  const barHeight = bar ? (w < 500 ? 128 : 116) : 0;
  const [seats, middle, own, hand] = divide(
    h - barHeight,
    [needs.seats, needs.middle, needs.own, needs.hand],
    gap,
    gap,
  );
  const across = { x: edge, w: w - 2 * edge };
  return {
    shape: 'portrait',
    seats: inARow({ ...across, ...seats! }, needs.opponents, gap),
    middle: { ...across, ...middle! },
    own: { ...across, ...own! },
    hand: { ...across, ...hand! },
    bar: bar ? { x: 0, w, y: h - barHeight, h: barHeight } : null,
  };
}

function landscape({ w, h }: Size, needs: Needs, bar: boolean): Frame {
  const gap = 5;
  const edge = 6;
  const [seats, middle, hand] = divide(h, [needs.seats, needs.middle, needs.hand], gap, gap);
  const barWidth = bar ? clamp(w * 0.31, 196, 300) : 0;
  const ownWidth = clamp(w * 0.32, 170, 300);
  const inner = w - 2 * edge;
  return {
    shape: 'landscape',
    seats: inARow({ x: edge, w: inner, ...seats! }, needs.opponents, gap),
    own: { x: edge, w: ownWidth, ...middle! },
    middle: { x: edge + ownWidth + gap, w: inner - ownWidth - gap, ...middle! },
    hand: { x: edge, w: inner - barWidth, ...hand! },
    bar: bar ? { x: w - barWidth, w: barWidth, y: hand!.y - gap, h: h - hand!.y + gap } : null,
  };
}

function wide({ w, h }: Size, needs: Needs, bar: boolean): Frame {
  const gap = h < 640 ? 6 : h < 900 ? 10 : 16;
  const edge = w < 1200 ? 10 : 18;
  const barHeight = bar ? (h < 640 ? 66 : h < 900 ? 76 : 88) : 0;
  const [seats, middle, own, hand] = divide(
    h - barHeight,
    [needs.seats, needs.middle, needs.own, needs.hand],
    gap,
    gap,
  );
  const inner = w - 2 * edge;
  const beside = needs.opponents >= 3 && needs.side !== undefined;
  const column = beside ? Math.round(spread(inner, needs.side!)) : 0;
  const centre = { x: edge + (column ? column + gap : 0), w: inner - (column ? 2 * (column + gap) : 0) };
  const above = inARow({ ...centre, ...seats! }, needs.opponents - (beside ? 2 : 0), gap);
  // The plates at the sides stand a little lower than those at the top, as around a table.
  const lowest = own!.y + own!.h;
  const plate = Math.min(lowest - seats!.y, Math.max(seats!.h * 1.25, (lowest - seats!.y) * 0.62));
  const at = { y: Math.round(seats!.y + (lowest - seats!.y - plate) * 0.42), w: column, h: plate };
  return {
    shape: 'wide',
    seats: beside ? [{ x: edge, ...at }, ...above, { x: w - edge - column, ...at }] : above,
    middle: { ...centre, ...middle! },
    own: { ...centre, ...own! },
    hand: { x: edge, w: inner, ...hand! },
    bar: bar ? { x: 0, w, y: h - barHeight, h: barHeight } : null,
  };
}

// A screen that everybody sees: all players around the middle, clockwise from the top left, and no hands.
export function boardOf(size: Size, players: number, share: number): Frame {
  const { w, h } = size;
  const gap = clamp(h * 0.016, 5, 20);
  const middle = { x: gap, w: w - 2 * gap, h: Math.floor((h - 4 * gap) * share) };
  const high = Math.floor((h - 4 * gap - middle.h) / 2);
  const above = Math.ceil(players / 2);
  const row = (y: number, count: number) =>
    inARow({ x: gap, y, w: w - 2 * gap, h: high }, count, gap, w * 0.6);
  const y = Math.round(gap + high + gap);
  const none = { x: 0, y: 0, w: 0, h: 0 };
  return {
    shape: shapeOf(size),
    seats: [
      ...row(Math.round(gap), above),
      ...row(Math.round(y + middle.h + gap), players - above).reverse(),
    ],
    middle: { ...middle, y },
    own: none,
    hand: none,
    bar: null,
  };
}

// --- Arithmetic ---------------------------------------------------------------------------------------

export const clamp = (value: number, least: number, most: number): number =>
  Math.max(least, Math.min(most, value));

// What a part gets of a length that it shares with something that takes all the rest.
const spread = (length: number, part: Part): number => clamp(length * part.share, part.least, part.most);

// Shares a height out among parts from the top. Everybody gets the least they need (or the same fraction of it, where
// even that does not fit), the rest goes by shares; what nobody can use widens the gaps.
export function divide(
  height: number,
  parts: readonly Part[],
  gap: number,
  edge: number,
): { y: number; h: number }[] {
  const room = height - 2 * edge - gap * (parts.length - 1);
  const needed = parts.reduce((sum, part) => sum + part.least, 0);
  const sizes = parts.map((part) => part.least * Math.min(1, room / needed));
  let rest = Math.max(0, room - needed);
  for (let open = parts.map((_, i) => i); rest > 0.5 && open.length;) {
    const shares = open.reduce((sum, i) => sum + parts[i]!.share, 0);
    if (shares === 0) break;
    const given = rest;
    for (const i of open) {
      const more = Math.min((given * parts[i]!.share) / shares, parts[i]!.most - sizes[i]!);
      sizes[i]! += Math.max(0, more);
      rest -= Math.max(0, more);
    }
    open = open.filter((i) => parts[i]!.most - sizes[i]! > 0.5);
  }
  const wider = gap + Math.max(0, rest) / parts.length;
  let y = edge + Math.max(0, rest) / parts.length / 2;
  return sizes.map((h) => {
    const found = { y: Math.round(y), h: Math.floor(h) };
    y += h + wider;
    return found;
  });
}

export function inARow(box: Box, count: number, gap: number, most = 460): Box[] {
  if (count < 1) return [];
  const w = Math.min(most, (box.w - gap * (count - 1)) / count);
  const used = w * count + gap * (count - 1);
  const start = box.x + (box.w - used) / 2;
  return Array.from({ length: count }, (_, i) => ({
    x: Math.round(start + i * (w + gap)),
    y: box.y,
    w: Math.floor(w),
    h: box.h,
  }));
}

// As the style of an element.
export const at = ({ x, y, w, h }: Box): string => `left:${x}px;top:${y}px;width:${w}px;height:${h}px`;
