// Made by `python -m tools.typescript --write` from the server's sources; do not edit.

/** Cards that count alike, and what they are worth together. */
export interface Part {
  name: string;
  cards: number;
  points: number;
}

/** What everybody sees of a player. */
export interface Player {
  hand_size: number;
  layers: string[][];
  known: string[];
  score: number;
}

/** What a seat sees besides. */
export interface Private {
  seat: number;
  hand: string[];
  legal: string[];
  snatches: Snatches[];
  why: Why[];
}

/** What everybody at the table sees. */
export interface Public {
  seat: number | null;
  active: number;
  decision: string;
  over: boolean;
  deck_size: number;
  display: string[][];
  discards: string[];
  row: string[];
  victim: number | null;
  snatched: string[];
  beaten: string[];
  owed: number;
  turns_left: number | null;
  players: Player[];
}

/** What was hidden, for when the game is over. */
export interface Revealed {
  hands: string[][];
  deck: string[];
}

/** What a play would snatch. The last card of a hand snatches nothing: it ends the game. */
export interface Snatches {
  action: string;
  values: string[];
  seats: number[];
}

/** Why some places cannot be chosen now. A place that is not named, here or in another, can be. */
export interface Why {
  places: string[];
  code: string;
  seat: number | null;
  count: number;
}
