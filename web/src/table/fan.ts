// How cards of a hand overlap: equal ones together, on as few rows as can be read, each value with a strip of its own.
export interface FanGroup {
  card: string;
  count: number;
}
export interface Laid extends FanGroup {
  x: number; // of the first card
  y: number;
  w: number; // what is to be seen of the group, before the next one covers it
  step: number; // from a card of the group to the next
  covered: boolean; // the next row lies on its lower part
}
export interface Fan {
  card: number; // the width of a card
  lift: number; // how far chosen cards rise; the hand keeps this much free above
  rows: number;
  groups: Laid[];
}

const TALL = 1.4; // a card's height by its width
const ROW = 0.66; // how much of a row the next one leaves to be seen
const WITHIN = 0.4; // of a card's width: from a card to the next of its value, where there is room
const INDEX = 0.34; // of a card's width: the strip in which its number stands
const GAP = 8; // between values, where there is room
export const LEAST_STRIP = 20; // pixels of a value that can always be seen
const LEAST_STEP = 12; // a finger can still tell equal cards apart
const SMALLEST = 34; // a card narrower than this is not held, but looked at
const AS_GOOD = 0.85; // cards on fewer rows may be this much smaller

// The fewest rows whose cards are about as large as they could be on more.
export function fanOf(
  groups: readonly FanGroup[],
  width: number,
  height: number,
  widest: number,
  mostRows = 3,
): Fan {
  const most = Math.max(1, Math.min(mostRows, groups.length));
  const fans = Array.from({ length: most }, (_, i) => largest(groups, width, height, widest, i + 1));
  const best = Math.max(...fans.map((fan) => (fits(fan) ? fan.card : 0)));
  return fans.find((fan) => fits(fan) && fan.card >= best * AS_GOOD) ?? fans.at(-1)!;
}

// Every number can be read, and every value be hit.
function fits(fan: Fan): boolean {
  return fan.groups.every(
    ({ count, step, w }) =>
      (count === 1 || step >= Math.max(LEAST_STEP, fan.card * INDEX - 0.5)) &&
      w >= Math.max(LEAST_STRIP, fan.card * INDEX - 0.5),
  );
}

// Cards as large as the height allows, or as small as it takes for their numbers to be seen.
function largest(
  groups: readonly FanGroup[],
  width: number,
  height: number,
  widest: number,
  rows: number,
): Fan {
  let fan = lay(groups, width, height, widest, rows);
  while (!fits(fan) && fan.card > SMALLEST) fan = lay(groups, width, height, fan.card - 2, rows);
  return fan;
}

function lay(groups: readonly FanGroup[], width: number, height: number, widest: number, rows: number): Fan {
  const lift = Math.round(Math.min(26, Math.max(10, height * 0.08)));
  const tall = (height - lift) / (1 + (rows - 1) * ROW);
  const card = Math.floor(Math.max(20, Math.min(widest, tall / TALL, width)));
  const lines = split(groups, rows);
  const used = card * TALL * (1 + (lines.length - 1) * ROW);
  const top = lift + Math.max(0, height - lift - used); // the hand lies at the lower edge
  const found = lines.flatMap((line, row) => {
    const y = Math.round(top + row * card * TALL * ROW);
    return layLine(line, width, card).map((each) => ({ ...each, y, covered: row < lines.length - 1 }));
  });
  return { card, lift, rows: lines.length, groups: found };
}

function layLine(line: readonly FanGroup[], width: number, card: number): Laid[] {
  const inner = line.reduce((sum, group) => sum + group.count - 1, 0); // steps within values
  const outer = line.length - 1; // steps from a value to the next
  const room = Math.max(0, width - card);
  let step = card * WITHIN;
  let next = card + GAP;
  if (inner * step + outer * next > room) {
    // Values move together first, down to a little more than a step; then everything does.
    next = outer ? Math.max(step * 1.15 + 2, (room - inner * step) / outer) : next;
    if (inner * step + outer * next > room) {
      step = Math.max(0, (room - outer * 2) / (inner + 1.15 * outer || 1));
      next = step * 1.15 + 2;
      if (next < LEAST_STRIP && outer) {
        next = Math.min(LEAST_STRIP, room / outer);
        step = inner ? Math.max(0, (room - outer * next) / inner) : 0;
      }
    }
  }
  const whole = inner * step + outer * next + card;
  let x = Math.max(0, (width - whole) / 2);
  return line.map((group, i) => {
    const last = i === line.length - 1;
    const span = (group.count - 1) * step;
    const laid = { ...group, x, y: 0, covered: false, w: span + (last ? card : Math.min(card, next)), step };
    x += span + next;
    return laid;
  });
}

// Values in order on so many rows, each about as full as the others.
function split(groups: readonly FanGroup[], rows: number): FanGroup[][] {
  const weight = (group: FanGroup) => group.count + 0.8;
  let left = groups.reduce((sum, group) => sum + weight(group), 0);
  const found: FanGroup[][] = [];
  let line: FanGroup[] = [];
  let filled = 0;
  for (const group of groups) {
    const share = left / (rows - found.length);
    if (line.length && found.length < rows - 1 && filled + weight(group) / 2 > share) {
      found.push(line);
      left -= filled;
      line = [];
      filled = 0;
    }
    line.push(group);
    filled += weight(group);
  }
  if (line.length) found.push(line);
  return found;
}
