// What a drawing of a game needs, whether the game is being played, watched or replayed.
import type { GamePrivate, GamePublic, SeatInfo, Why } from './protocol';
import type { Piece } from './words';

export interface Scene<Public = GamePublic, Private = GamePrivate> {
  game: string;
  edition: string;
  public: Public;
  own: Private | null;
  seats: SeatInfo[];
  seat: number | null; // from whose side the table is seen; null for spectators
  hands: string[][] | null; // every hand, where all is open: a replay, or the end of a game
  legal: string[]; // empty unless the viewer decides, and while an action is on its way
  ready: boolean; // the picture has come to rest: what is pressed now is meant for it
  act: (action: string) => void;
  clock: { seat: number; left: number } | null; // who is thinking, and for how many seconds yet
  story: Piece[]; // what has happened last, for the action bar
  onstory: () => void; // the rest of it is asked for
  replay: boolean; // nobody plays here: there is no action bar
}

// The seats as they are seen: the viewer's opponents clockwise from the left; all seats but the first for spectators.
export function opponents(count: number, seat: number | null): number[] {
  const base = seat ?? 0;
  return Array.from({ length: count - 1 }, (_, i) => (base + 1 + i) % count);
}

export function seatName(seats: SeatInfo[], seat: number | null | undefined): string {
  return seat === null || seat === undefined ? '' : (seats[seat]?.name ?? '');
}

// Why a place cannot be chosen, as the server says; null if it can.
export function whyNot(own: GamePrivate | null, place: string): Why | null {
  return own?.why.find((each) => each.places.includes(place) || each.places.includes('*')) ?? null;
}
