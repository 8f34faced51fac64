// A finished game as the server sends it to a viewer, and how to move about in it. Who may see what is the server's
// business alone: here is shown what was sent.
import { BOT_NAMES } from '../ui/avatars';
import type { Replay, ReplayStep } from './http';
import type { GameEvent, SeatInfo } from './protocol';
import { shownName } from './names';
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

// What a step shows. Whose turn comes next can be seen, and need not be said each time.
export function spoken(step: ReplayStep): GameEvent[] {
  return step.events.filter((event) => event.kind !== 'turn');
}

// --- Viewers ----------------------------------------------------------------------------------------

// Whom the server sends the game to: a seat, a spectator, or somebody who may see everything.
export type Viewer = number | 'spectator' | 'open';

// How a replay is looked at: from a seat's side or a spectator's (null), with their eyes or with all hands open.
export interface Sight {
  readonly side: number | null;
  readonly open: boolean;
}

export function viewerOf({ side, open }: Sight): Viewer {
  return open ? 'open' : (side ?? 'spectator');
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
    name: shownName(name, !guests[seat]),
    guest: guests[seat],
    here: true,
  }));
}

// Everybody's name as the reader sees it, by seat.
export const namesIn = (replay: Pick<Replay, 'names' | 'guests'>): string[] =>
  seatsOf(replay).map(({ name }) => name ?? '');

// The table at a step as it was sent. The reader does not sit there, so that nothing speaks to them as to a player.
export function sceneOf(replay: Replay, step: number, side: number | null): Scene {
  const now = replay.steps[step]!;
  return {
    game: replay.game,
    edition: replay.edition,
    public: now.public,
    own: now.own,
    seats: seatsOf(replay),
    seat: null,
    side: side ?? 0, // spectators see it from the first seat's
    hands: now.hands,
    legal: [],
    ready: true,
    act: () => {},
    clock: null,
    story: [],
    onstory: () => {},
    replay: true,
  };
}
