// A finished game as the server tells it, and how to move about in it.
import type { GamePage } from '../games/game';
import { BOT_NAMES } from '../ui/avatars';
import type { Replay, ReplayStep } from './http';
import type { GameEvent, SeatInfo } from './protocol';
import type { Scene } from './scene';

// --- Moments ----------------------------------------------------------------------------------------

// The step that an address names; null if it names none, as `#content` does.
export function stepOf(hash: string): number | null {
  const found = /^#(\d{1,6})$/.exec(hash);
  return found ? Number(found[1]) : null;
}

export function within(step: number, last: number): number {
  return Number.isFinite(step) ? Math.min(Math.max(0, Math.floor(step)), last) : 0;
}

// The steps at which something happens that people look for in this game, rising.
export function marksOf(notable: ReadonlySet<string>, steps: readonly ReplayStep[]): number[] {
  return steps.flatMap((step, number) =>
    step.events.some((event) => notable.has(event.kind)) ? [number] : [],
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

// Events as a seat knew them, for whoever hides the other hands.
export function seenBy(unseen: GamePage['unseen'], events: readonly GameEvent[], side: number): GameEvent[] {
  return events.map((event) => {
    const kind = event.seat === side ? undefined : unseen[event.kind];
    return kind === undefined ? event : { ...event, kind, cards: [], count: event.cards.length };
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

// A record names the players but not what they are. Bots have no identity, and names of their own.
export function seatsOf({ names, guests }: Pick<Replay, 'names' | 'guests'>): SeatInfo[] {
  return names.map((name, seat) => ({
    kind: !guests[seat] && (BOT_NAMES as readonly string[]).includes(name) ? 'bot' : 'person',
    name,
    here: true,
  }));
}

// A step as it looks from a seat's side: that seat becomes the first, which onlookers are shown at the bottom.
// Turning the table, instead of sitting down at it, keeps the tables from speaking to the reader as to the player.
export function turned(turn: GamePage['turn'], step: ReplayStep, side: number): ReplayStep {
  const count = step.hands.length;
  const seat = <T extends number | null | undefined>(old: T): T =>
    (typeof old === 'number' ? (old - side + count) % count : old) as T;
  const around = <T>(list: readonly T[]): T[] => [...list.slice(side), ...list.slice(0, side)];
  const table = step.public;
  return {
    ...step,
    public: { ...turn(table, seat, around), seat: seat(table.seat), active: seat(table.active) },
    hands: around(step.hands),
    seat: seat(step.seat),
    events: step.events.map((event) => ({ ...event, seat: seat(event.seat), other: seat(event.other) })),
  };
}

// The table at a step: from a seat's side, with all hands open or with that seat's alone.
export function sceneOf(
  game: Pick<GamePage, 'turn' | 'own'>,
  replay: Replay,
  step: number,
  side: number,
  open: boolean,
): Scene {
  const now = turned(game.turn, replay.steps[step]!, side);
  const seats = seatsOf(replay);
  return {
    game: replay.game,
    edition: replay.edition,
    public: now.public,
    own: game.own(now.hands[0] ?? [], replay.steps, side, step),
    seats: [...seats.slice(side), ...seats.slice(0, side)],
    seat: null,
    side: 0, // the table is turned
    hands: open ? now.hands : null,
    legal: [],
    ready: true,
    act: () => {},
    clock: null,
    story: [],
    onstory: () => {},
    replay: true,
  };
}
