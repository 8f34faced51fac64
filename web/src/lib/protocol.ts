// Made by `python -m tools.typescript --write` from the server's sources; do not edit.

/** An action was stored for good. */
export interface Ack {
  type: 'ack';
  table: string;
  id: string;
  number: number;
}

/** Make a decision. The answer is `ack` once it is stored for good, or `refused`. */
export interface Act {
  type: 'act';
  table: string;
  id: string;
  seen: number;
  action: string;
}

/** Take the seat back from the bot that fills in. */
export interface Back {
  type: 'back';
  table: string;
}

/** A new line of chat; or one that the receiver has already, if it was deleted. */
export interface Chat {
  type: 'chat';
  table: string;
  line: ChatLine;
}

/** A line of chat. */
export interface ChatLine {
  number: number;
  at: number;
  guest: string;
  name: string;
  text?: string;
  phrase?: string;
  removed?: boolean;
}

export type ClientMessage = Watch | Unwatch | Act | Back | Ready | Say | Lobby | Ping;

/** How much time people have. */
export interface Clock {
  kind: 'bank' | 'decision' | 'none';
  seconds: number;
  increment: number;
}

/** The clocks at the moment of the message. */
export interface ClockNow {
  seat: number;
  left: number;
  banks?: number[];
}

/** Stable codes; the texts that come with them are for people and may change. */
export type Code =
  | 'malformed'
  | 'options'
  | 'action'
  | 'illegal'
  | 'out-of-turn'
  | 'stale'
  | 'not-running'
  | 'paused'
  | 'read-only'
  | 'no-seat'
  | 'seat-taken'
  | 'not-host'
  | 'not-watching'
  | 'no-spectators'
  | 'removed'
  | 'banned'
  | 'no-newcomers'
  | 'who'
  | 'origin'
  | 'not-found'
  | 'too-much'
  | 'full'
  | 'too-large'
  | 'record'
  | 'unavailable'
  | 'internal';

/** What somebody has reached in an evening. */
export interface EveningRow {
  name: string;
  guest?: string;
  games?: number;
  won?: number;
  points?: number;
}

/** The end of a game: all cards are open. */
export interface Finished {
  outcome: Outcome;
  breakdown: Part[][];
  revealed: GameRevealed;
  record: string;
}

/** One thing that happened, as one viewer saw it. */
export interface GameEvent {
  kind: string;
  seat: number | null;
  other: number | null;
  cards: string[];
  count: number;
  place: number;
}

/** The cards as the receiver may see them. Each game has its own types (`games/<game>/snapshot.py`). */
export interface GameNow {
  public: GamePublic;
  own?: GamePrivate | null;
  clock?: ClockNow | null;
  finished?: Finished | null;
  advice?: string;
}

/** What everybody sees of a player. */
export interface GamePlayer {
  hand_size: number;
  known: string[];
  score: number;
}

/** What a seat sees besides. */
export interface GamePrivate {
  seat: number;
  hand: string[];
  legal: string[];
  why: Why[];
}

/** What everybody at the table sees. */
export interface GamePublic {
  seat: number | null;
  active: number;
  decision: string;
  over: boolean;
  deck_size: number;
  owed: number;
  players: GamePlayer[];
}

/** What was hidden, for when the game is over. */
export interface GameRevealed {
  hands: string[][];
  deck: string[];
}

/** Something happened at a table. */
export interface Happened {
  type: 'happened';
  table: string;
  what: Happening;
  info?: Info | null;
  game?: GameNow | null;
}

/** One event of a table, as the receiver may know it. */
export interface Happening {
  number: number;
  at: number;
  kind: string;
  seat?: number | null;
  by?: string;
  events?: GameEvent[];
}

/** The first message. */
export interface Hello {
  type: 'hello';
  guest: string;
  name: string;
  version: number;
}

/** A table, apart from the cards. */
export interface Info {
  id: string;
  game: string;
  edition: string;
  phase: 'closed' | 'open' | 'over' | 'running';
  seats: SeatInfo[];
  host: string;
  public: boolean;
  spectators: boolean;
  clock: Clock;
  rounds: number;
  length: number;
  speed: string;
  created_at: number;
  round?: number;
  totals?: number[];
  outcomes?: Outcome[];
  winners?: number[];
  rematch?: string;
  invite?: string;
  rules?: number;
  read_only?: string;
  closed?: string;
  closed_text?: string;
  guide?: boolean;
  evening?: EveningRow[];
  paused?: boolean;
}

/** Receive the open tables, now and whenever they change; or stop that. */
export interface Lobby {
  type: 'lobby';
  on?: boolean;
}

/** The open tables, newest first; the further ones of a host or of a network address come last. */
export interface LobbyTables {
  type: 'lobby';
  tables: Row[];
}

/** How a game ended. */
export interface Outcome {
  reason: string;
  scores: number[];
  winners: number[];
}

/** Cards that count alike, and what they are worth together. */
export interface Part {
  name: string;
  cards: number;
  points: number;
}

/** Answered with `pong`: to measure the connection, or to keep it alive. */
export interface Ping {
  type: 'ping';
}

/** The answer to `ping`. */
export interface Pong {
  type: 'pong';
}

/** Go on to the next game of the match. */
export interface Ready {
  type: 'ready';
  table: string;
}

/** Something was not done, and nothing changed. */
export interface Refused {
  type: 'refused';
  code: string;
  text: string;
  table?: string;
  id?: string;
}

/** A table in a list. */
export interface Row {
  id: string;
  game: string;
  edition: string;
  phase: string;
  seats: SeatInfo[];
  host: string;
  clock: Clock;
  rounds: number;
  created_at: number;
  updated_at: number;
  public?: boolean;
  spectators?: boolean;
  deciding?: number | null;
  guide?: boolean;
}

/** A line of chat, or a quick phrase. */
export interface Say {
  type: 'say';
  table: string;
  text?: string;
  phrase?: string;
}

/** A seat at a table. */
export interface SeatInfo {
  kind: 'bot' | 'invited' | 'open' | 'person';
  name?: string;
  guest?: string;
  bot?: string;
  program?: boolean;
  reserved?: string;
  kept?: string;
  next?: string;
  next_guest?: string;
  here?: boolean;
  stand_in?: string;
  quit?: boolean;
  ready?: boolean;
}

export type ServerMessage =
  Hello | TableNow | Happened | Ack | Refused | Chat | Watchers | LobbyTables | Pong;

/** The answer to `watch`: the whole table as the receiver may see it, and what was missed. */
export interface TableNow {
  type: 'table';
  number: number;
  info: Info;
  seat?: number | null;
  game?: GameNow | null;
  missed?: Happening[];
  chat?: ChatLine[];
}

/** Stop watching a table. */
export interface Unwatch {
  type: 'unwatch';
  table: string;
}

/** Watch a table, from one's own seat or as a spectator. The answer is a `table` message. */
export interface Watch {
  type: 'watch';
  table: string;
  seen?: number;
  invite?: string;
  board?: boolean;
}

/** The spectators. Sent when those of a table change, and after `table` if there are any. */
export interface Watchers {
  type: 'watchers';
  table: string;
  names: string[];
  count: number;
}

/** Why some places cannot be chosen now. A place that is not named, here or in another, can be. */
export interface Why {
  places: string[];
  code: string;
  seat: number | null;
  count: number;
}
