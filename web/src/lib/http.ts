// Made by `python -m tools.typescript --write` from the server's sources; do not edit.
import type { ChatLine, GameEvent, GamePrivate, GamePublic, Outcome, Part, Row } from './protocol';

export interface BanGuest {
  guest: string;
  reason?: string;
  days?: number;
  address?: boolean;
}

export interface BanNetwork {
  network: string;
  reason?: string;
  days?: number;
}

export interface BanOf {
  who: string;
  kind: string;
  name: string;
  reason: string;
  at: number;
  until: number | null;
  address: boolean;
}

export interface Bot {
  id: string;
  name: string;
}

/** A bot that can have a seat. */
export interface BotInfo {
  name: string;
  title: string;
  description: string;
  level: number | null;
  games: string[];
}

/** What somebody's games say about them; private ones are counted for themselves alone. */
export interface CareerOf {
  shares: ShareOf[];
  history: PointOf[];
  opponents: OpponentOf[];
}

export interface Claim {
  secret: string;
}

/** How much time people have. */
export interface ClockChoice {
  kind?: 'bank' | 'decision' | 'none';
  seconds?: number;
  increment?: number;
}

export interface Count {
  game: string;
  edition: string;
  finished: number;
}

export interface EditionInfo {
  name: string;
  players: number[];
}

export interface FirstVisit {
  name?: string;
}

export interface GameInfo {
  name: string;
  title: string;
  editions: EditionInfo[];
  guide: boolean;
}

export interface GameOf {
  id: string;
  game: string;
  edition: string;
  finished_at: number;
  players: PlayerOf[];
  rated: boolean;
  imported: boolean;
  private: boolean;
}

/** A guided first game. */
export interface GuidedGame {
  game?: string;
  speed?: 'fast' | 'instant' | 'normal' | 'slow';
}

export interface Imported {
  id: string;
  path: string;
}

/** What an invitation is good for at this moment. */
export interface Invitation {
  game: string;
  edition: string;
  phase: 'closed' | 'open' | 'over' | 'running';
  host: string;
  use: 'none' | 'seated' | 'sit' | 'wait' | 'waiting' | 'watch';
  rematch: string;
}

export interface Invited {
  invite?: string;
}

export interface Join {
  seat?: number | null;
  invite?: string;
}

export interface Lines {
  numbers: number[];
}

export interface Link {
  path: string;
}

export interface Listed {
  tables: Row[];
}

/** A table that was made. */
export interface Made {
  id: string;
  invite: string;
  path: string;
}

export interface Me {
  id: string;
  name: string;
  kind: string;
  link: boolean;
}

/** One of the best moments of a game. */
export interface MomentOf {
  kind: string;
  seat: number;
  step: number;
  size: number;
  cards: string[];
}

export interface NewBot {
  id: string;
  name: string;
  token: string;
}

export interface NewName {
  name: string;
}

/** A report about somebody at a table. */
export interface NewReport {
  guest: string;
  reason: 'chat' | 'name' | 'other' | 'stalling' | 'unfair';
  words?: string;
  invite?: string;
}

/** A new table. The guest who makes it takes the first seat that is not a bot's. */
export interface NewTable {
  game?: string;
  edition?: string;
  seats?: SeatChoice[];
  public?: boolean;
  spectators?: boolean;
  clock?: ClockChoice;
  rounds?: number;
  speed?: 'fast' | 'instant' | 'normal' | 'slow';
}

/** What this server offers. */
export interface Offer {
  games: GameInfo[];
  bots: BotInfo[];
  phrases: string[];
}

export interface OpponentOf {
  id: string;
  name: string;
  games: number;
}

/** Everything that an administrator sees at a glance. */
export interface Overview {
  reports: ReportOf[];
  reports_open: number;
  bans: BanOf[];
  tables: Row[];
  switches: SwitchesOf;
}

/** A table against bots, started at once. */
export interface PlayNow {
  game?: string;
  edition?: string;
  bots?: string[];
  players?: number;
  clock?: ClockChoice;
  rounds?: number;
  speed?: 'fast' | 'instant' | 'normal' | 'slow';
  spectators?: boolean;
}

export interface PlayerOf {
  seat: number;
  name: string;
  score: number;
  won: boolean;
  guest: string;
  own: boolean;
  rating_before: number | null;
  rating: number | null;
}

/** A rating before and after a game. */
export interface PointOf {
  game: string;
  edition: string;
  at: number;
  before: number;
  rating: number;
}

/** What was wrong. */
export interface Problem {
  code: string;
  text: string;
  until: number | null;
  reason: string;
  decision: number | null;
}

/** What is public about a guest. */
export interface Profile {
  id: string;
  name: string;
  kind: string;
  ratings: RatingOf[];
}

export interface PushKey {
  key: string;
}

export interface RatingOf {
  game: string;
  edition: string;
  rating: number;
  mu: number;
  sigma: number;
  games: number;
}

export interface Reason {
  reason?: string;
}

export interface Remove {
  guest: string;
}

export interface Removed {
  count: number;
}

/** A finished game, as one viewer saw it or with all cards open. */
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

/** The game after an action; the first step is the deal. */
export interface ReplayStep {
  public: GamePublic;
  own: GamePrivate | null;
  hands: string[][] | null;
  seat: number | null;
  action: string;
  events: GameEvent[];
}

/** What a player reported. */
export interface ReportOf {
  id: string;
  at: number;
  table: string;
  entry: number;
  reporter: string;
  reporter_name: string;
  guest: string;
  name: string;
  reason: string;
  words: string;
  chat: ChatLine[];
}

export interface Reported {
  id: string;
}

export interface Resolution {
  note?: string;
}

/** Who may take a seat. */
export interface SeatChoice {
  kind?: 'bot' | 'invited' | 'open';
  bot?: string;
}

/** The guest's seat, and the number of the table's last event. */
export interface Seated {
  number: number;
  seat: number | null;
}

/** A browser or a program that is signed in. */
export interface SessionOf {
  id: string;
  device: string;
  created_at: number;
  seen_at: number;
  here: boolean;
}

/** How often somebody won an edition with so many players. */
export interface ShareOf {
  game: string;
  edition: string;
  players: number;
  games: number;
  won: number;
}

export interface Spectators {
  open: boolean;
}

export interface Standing {
  place: number;
  id: string;
  name: string;
  rating: number;
  games: number;
}

export interface Start {
  bot?: string;
}

export interface Statistics {
  games: Count[];
  tables: Record<string, number>;
}

/** A subscription of the browser's Push API. */
export interface Subscribe {
  endpoint: string;
  p256dh: string;
  auth: string;
  language?: string;
}

export interface SwitchesOf {
  registration: boolean;
  slow_chat: number;
}

export interface Unban {
  who: string;
}

export interface Unsubscribe {
  endpoint: string;
}
