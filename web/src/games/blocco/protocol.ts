// Made by `python -m tools.typescript --write` from the server's sources; do not edit.

/** Groups of one colour that were laid together on a blocking pile. */
export interface Lay {
  colour: string;
  groups: number;
  cards: string[];
}

/** Cards that count alike, and what they are worth together. */
export interface Part {
  name: string;
  cards: number;
  points: number;
}

/** What everybody sees of a player. */
export interface Player {
  hand_size: number;
  pile: Lay[];
  top: string | null;
  score_size: number;
  known: string[];
  doubtful: string[];
  score: number;
}

/** What a seat sees besides. */
export interface Private {
  seat: number;
  hand: string[];
  given: string[];
  legal: string[];
  why: Why[];
}

/** What everybody at the table sees. */
export interface Public {
  seat: number | null;
  active: number;
  decision: string;
  over: boolean;
  deck_size: number;
  rows: string[][];
  actions_left: number;
  last_action: boolean;
  givers: number[];
  receiver: number | null;
  owed: number;
  players: Player[];
}

/** What was hidden, for when the game is over. */
export interface Revealed {
  hands: string[][];
  given: string[][];
  deck: string[];
}

/** Why some places cannot be chosen now. A place that is not named, here or in another, can be. */
export interface Why {
  places: string[];
  code: string;
  seat: number | null;
  count: number;
}
