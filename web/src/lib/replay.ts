// A finished game as the server tells it, and how to move about in it.
import type { GameEvent, Outcome, Part, SeatInfo } from './protocol';
import type { BloccoPrivate, BloccoPublic, LinkoPrivate, LinkoPublic } from './protocol';
import type { BloccoScene, LinkoScene } from './scene';

export interface ReplayStep {
  public: LinkoPublic | BloccoPublic;
  hands: string[][];
  seat: number | null; // who acted; null for the deal
  action: string;
  events: GameEvent[];
}
export interface Replay {
  id: string;
  game: string;
  edition: string;
  names: string[];
  guests: string[];
  finished_at: number;
  imported: boolean;
  outcome: Outcome;
  breakdown: Part[][];
  steps: ReplayStep[];
  left_out: number;
}

// --- Moments ----------------------------------------------------------------------------------------

// The step that an address names; null if it names none, as `#content` does.
export function stepOf(hash: string): number | null {
  const found = /^#(\d{1,6})$/.exec(hash);
  return found ? Number(found[1]) : null;
}

export function within(step: number, last: number): number {
  return Number.isFinite(step) ? Math.min(Math.max(0, Math.floor(step)), last) : 0;
}

// What people look for in a game: snatches, or scored piles.
const NOTABLE: Record<string, ReadonlySet<string>> = {
  linko: new Set(['snatches', 'row']),
  blocco: new Set(['scores']),
};

// The steps at which such a thing happens, rising.
export function marksOf(game: string, steps: readonly ReplayStep[]): number[] {
  const kinds = NOTABLE[game];
  if (!kinds) return [];
  return steps.flatMap((step, number) =>
    step.events.some((event) => kinds.has(event.kind)) ? [number] : [],
  );
}

export function nextMark(marks: readonly number[], step: number): number | null {
  return marks.find((mark) => mark > step) ?? null;
}

export function previousMark(marks: readonly number[], step: number): number | null {
  return marks.findLast((mark) => mark < step) ?? null;
}

// Whose turn begins with a step, so that the log can be divided: the seat, or null within a turn.
export function turnsOf(steps: readonly ReplayStep[]): (number | null)[] {
  let before: number | null = null;
  return steps.map((step, number) => {
    if (number === 0) return null;
    // The turn is that of the table as it was when the action was taken.
    const active = steps[number - 1]!.public.active;
    const begins = active !== before;
    before = active;
    return begins ? active : null;
  });
}

// What a step tells. Whose turn comes next can be seen, and need not be said each time.
export function spoken(step: ReplayStep): GameEvent[] {
  return step.events.filter((event) => event.kind !== 'turn');
}

// Events as a seat knew them, for whoever hides the other hands: gifts and cards from the deck are secret.
export function seenBy(events: readonly GameEvent[], side: number): GameEvent[] {
  return events.map((event) => {
    if (event.seat === side) return event;
    if (event.kind === 'draws seen') return { ...event, kind: 'draws unseen', cards: [], count: 1 };
    if (event.kind === 'gives')
      return { ...event, kind: 'gives unseen', cards: [], count: event.cards.length };
    return event;
  });
}

// --- Playing ----------------------------------------------------------------------------------------

export const SPEEDS = [0.5, 1, 2, 4] as const;

// Milliseconds from one step to the next.
export function pace(speed: number): number {
  return 1400 / speed;
}

// How long cards fly in a replay: as chosen, but they must have arrived before the next step.
export function flightTime(chosen: number, speed: number | null): number {
  return speed === null ? chosen : Math.min(chosen, pace(speed) * 0.6);
}

// --- The table --------------------------------------------------------------------------------------

export function seatsOf(replay: Replay): SeatInfo[] {
  return replay.names.map((name) => ({ kind: 'person', name, here: true }));
}

// The cards that a seat has given away up to a step (Blocco).
export function givenBy(steps: readonly ReplayStep[], seat: number, step: number): string[] {
  return steps
    .slice(0, step + 1)
    .flatMap((each) => each.events)
    .flatMap((event) => (event.kind === 'gives' && event.seat === seat ? event.cards : []));
}

// A step as it looks from a seat's side: that seat becomes the first, which onlookers are shown at the bottom.
// Turning the table, instead of sitting down at it, keeps the tables from speaking to the reader as to the player.
export function turned(step: ReplayStep, side: number): ReplayStep {
  const count = step.hands.length;
  const seat = <T extends number | null | undefined>(old: T): T =>
    (typeof old === 'number' ? (old - side + count) % count : old) as T;
  const around = <T>(list: readonly T[]): T[] => [...list.slice(side), ...list.slice(0, side)];
  const table = step.public;
  const common = { seat: seat(table.seat), active: seat(table.active) };
  return {
    ...step,
    public:
      'rows' in table
        ? {
            ...table,
            ...common,
            givers: table.givers.map(seat),
            receiver: seat(table.receiver),
            players: around(table.players),
          }
        : { ...table, ...common, victim: seat(table.victim), players: around(table.players) },
    hands: around(step.hands),
    seat: seat(step.seat),
    events: step.events.map((event) => ({ ...event, seat: seat(event.seat), other: seat(event.other) })),
  };
}

// The table at a step: from a seat's side, with all hands open or with that seat's alone.
export function sceneOf(replay: Replay, step: number, side: number, open: boolean): LinkoScene | BloccoScene {
  const now = turned(replay.steps[step]!, side);
  const seats = seatsOf(replay);
  const common = {
    seats: [...seats.slice(side), ...seats.slice(0, side)],
    seat: null,
    hands: open ? now.hands : null,
    legal: [],
    act: () => {},
  };
  const hand = now.hands[0] ?? [];
  if (replay.game === 'linko') {
    const own: LinkoPrivate = { seat: 0, hand, legal: [], snatches: [] };
    return { ...common, public: now.public as LinkoPublic, own };
  }
  const own: BloccoPrivate = { seat: 0, hand, legal: [], given: givenBy(replay.steps, side, step) };
  return { ...common, public: now.public as BloccoPublic, own };
}

// --- Records from elsewhere -------------------------------------------------------------------------

export interface Piece {
  line: number; // counted from 1, as editors do
  text: string;
}

// The records in a text: one to a line, or a single one that is spread over several lines.
export function piecesOf(text: string): Piece[] {
  const bare = text.replace(/^\ufeff/, '');
  const lines = bare
    .split(/\r\n|\n|\r/)
    .map((each, number) => ({ line: number + 1, text: each.trim() }))
    .filter((each) => each.text !== '');
  if (lines.length > 1 && !isObject(lines[0]!.text) && isObject(bare)) {
    return [{ line: lines[0]!.line, text: bare.trim() }];
  }
  return lines;
}

function isObject(text: string): boolean {
  return parsed(text) !== null;
}

// The record in a piece of text; null if it is not even an object. Whether it is right, the server tells.
export function parsed(text: string): Record<string, unknown> | null {
  try {
    const found: unknown = JSON.parse(text);
    return typeof found === 'object' && found !== null && !Array.isArray(found)
      ? (found as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

// Who plays in a record, as far as it says so in the usual form.
export function playersIn(record: Record<string, unknown>): string {
  const seats = record['seats'];
  return Array.isArray(seats) ? seats.filter((name) => typeof name === 'string').join(', ') : '';
}
