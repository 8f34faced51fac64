// What a drawing of a game needs, whether the game is being played, watched or replayed.
import type { BloccoPrivate, BloccoPublic, GameEvent, LinkoPrivate, LinkoPublic, SeatInfo } from './protocol';
import type { Flight } from './fly';

export interface Scene<Public, Private> {
  public: Public;
  own: Private | null;
  seats: SeatInfo[];
  seat: number | null; // from whose side the table is seen; null for spectators
  hands: string[][] | null; // every hand, where all is open: a replay, or the end of a game
  legal: string[]; // empty unless the viewer decides, and while an action is on its way
  act: (action: string) => void;
}
export type LinkoScene = Scene<LinkoPublic, LinkoPrivate>;
export type BloccoScene = Scene<BloccoPublic, BloccoPrivate>;

// A game's own part of the page: which cards fly where for an event.
export type Flights<Public> = (
  events: GameEvent[],
  before: Public,
  after: Public,
  seat: number | null,
) => Flight[];

// The seats as they are seen: the viewer's opponents clockwise from the left; all seats but the first for spectators.
export function opponents(count: number, seat: number | null): number[] {
  const base = seat ?? 0;
  return Array.from({ length: count - 1 }, (_, i) => (base + 1 + i) % count);
}

export function seatName(seats: SeatInfo[], seat: number | null | undefined): string {
  return seat === null || seat === undefined ? '' : (seats[seat]?.name ?? '');
}
