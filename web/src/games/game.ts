// What the folder of a game offers to the rest of the page. Nothing outside knows a game by its name.
import type { Component } from 'svelte';
import type { Flight } from '../lib/fly';
import type { GameEvent, GamePublic } from '../lib/protocol';
import type { Scene } from '../lib/scene';

export type CardComponent = Component<{ card?: string; flat?: boolean }>;

// What is needed wherever cards are shown, before or without a table: small, and there from the start.
export interface CardSet {
  name: string;
  Card: CardComponent;
  samples: readonly string[]; // some cards that show what game it is
  first?: string; // the edition to learn the game with, if not the server's first
  // In the order in which they are shown; `kind` is the event's, whose order may matter.
  sorted: (cards: readonly string[], kind?: string) => string[];
  // Cards of an event in words, for the log as it is read aloud; `kind` is the event's.
  words: (cards: readonly string[], kind?: string) => string;
}

// One thing that the guide of a first game says.
export interface Step {
  idea: string; // what it is about, one of the guide's ideas
  text: string;
  at: string[]; // selectors of what it is about on the table, what the arrow points at first
  action?: string; // what is proposed; when it is chosen, the guide points at the button
  then?: 'next' | 'on'; // a button goes on to the next step, or on with the game if one would not rather begin another
}

export interface GameGuide {
  ideas: readonly string[]; // about in the order in which they come up
  // Before anything is played.
  intro: () => Step[];
  // What to say when the learner decides. `advice` is the action that the server proposes, or empty; `known` are the
  // ideas that came up before; `acted` is how often the learner has acted.
  step: (scene: Scene, advice: string, known: ReadonlySet<string>, acted: number) => Step;
  end: () => string; // how the points came about
}

export interface Shortcut {
  readonly keys: string;
  readonly text: string;
}

// Everything else of a game: loaded when somebody sits down at its table.
export interface GamePage {
  Table: Component<{ scene: Scene }>;
  How: Component<{ heading: 'h2' | 'h3'; edition?: string | undefined }>;
  // Which cards move where for what has happened. `seat` is the one whose hand lies open at the bottom, if there is one.
  flights: (events: GameEvent[], before: GamePublic, after: GamePublic, seat: number | null) => Flight[];
  // Which cards move where when a game begins.
  deal: (after: GamePublic, seat: number | null) => Flight[];
  shortcuts: readonly Shortcut[];
  notable: ReadonlySet<string>; // kinds of events that people look for in a replay
  sounds: Readonly<Record<string, Sound>>; // by kind of event
  striking: (event: GameEvent, seat: number | null) => string | null; // the place that such an event marks
  notice?: (table: GamePublic) => string; // what everybody should know now, above the table; usually empty
  irreversible: (action: string) => boolean; // asked about first, by those who wish to be
  guide?: GameGuide; // of the guided first game
}

export type Sound = 'deal' | 'play' | 'snatch' | 'draw' | 'score' | 'give' | 'end';
