// What a drawing of a game needs, whether the game is being played, watched or replayed.
import type { GamePrivate, GamePublic, SeatInfo, Why } from './protocol';
import type { Piece } from './words';

export interface Scene<Public = GamePublic, Private = GamePrivate> {
  game: string;
  edition: string;
  public: Public;
  own: Private | null;
  seats: SeatInfo[];
  seat: number | null; // the viewer's own; null for whoever does not play: spectators, and readers of a replay
  side: number; // the seat whose side the table is seen from, at the bottom
  hands: string[][] | null; // every hand, where all is open: a replay, or the end of a game
  legal: string[]; // empty unless the viewer decides, and while an action is on its way
  ready: boolean; // the picture has come to rest: what is pressed now is meant for it
  act: (action: string) => void;
  clock: { seat: number; left: number } | null; // who is thinking, and for how many seconds yet
  story: Piece[]; // what has happened last, for the action bar
  onstory: () => void; // the rest of it is asked for
  onperson?: (seat: number) => void; // something about the person at a seat is asked for
  board?: boolean; // a screen for everybody: all seats around the middle, no hands, large letters
  replay: boolean; // nobody plays here: there is no action bar
}

// The other seats as they are seen from one: clockwise from the left.
export function opponents(count: number, side: number): number[] {
  return Array.from({ length: count - 1 }, (_, i) => (side + 1 + i) % count);
}

export function seatName(seats: SeatInfo[], seat: number | null | undefined): string {
  return seat === null || seat === undefined ? '' : (seats[seat]?.name ?? '');
}

// Why a place cannot be chosen, as the server says; null if it can.
export function whyNot(own: GamePrivate | null, place: string): Why | null {
  return own?.why.find((each) => each.places.includes(place) || each.places.includes('*')) ?? null;
}
