// What can be chosen at a Blocco table, and what a choice means. The server says what is legal; this only reads it.
import { countsOf } from '../../lib/cards';
import { COLOURS } from './cards';
import { PLACES } from './layout';
import type { Public } from './protocol';

export const LAST_EMPTY = 5; // so many empty places end the game
const FILLED = 3; // places that the deck fills after a take

export type Choice =
  | { kind: 'take'; place: number }
  | { kind: 'block'; colour: string; groups: number }
  | { kind: 'score' }
  | { kind: 'from'; seat: number }
  | { kind: 'give'; colour: string };

export function actionText(choice: Choice): string {
  switch (choice.kind) {
    case 'take':
      return `take ${choice.place}`;
    case 'block':
      return `block ${choice.colour} ${choice.groups}`;
    case 'score':
      return 'score';
    case 'from':
      return `from ${choice.seat + 1}`; // seats are counted from 1 in texts
    case 'give':
      return `give ${choice.colour}`;
  }
}

export interface Available {
  takes: number[];
  blocks: Record<string, number[]>; // by colour: how many groups, fewest first
  score: boolean;
  from: number[]; // seats
  gives: string[];
}

export function available(legal: readonly string[]): Available {
  const found: Available = { takes: [], blocks: {}, score: false, from: [], gives: [] };
  for (const action of legal) {
    const [kind = '', first = '', second = ''] = action.split(' ');
    if (kind === 'take') found.takes.push(Number(first));
    else if (kind === 'block') (found.blocks[first] ??= []).push(Number(second));
    else if (kind === 'score') found.score = true;
    else if (kind === 'from') found.from.push(Number(first) - 1);
    else if (kind === 'give') found.gives.push(first);
  }
  for (const groups of Object.values(found.blocks)) groups.sort((a, b) => a - b);
  return found;
}

// What the parts of the table need for choosing. An item is what the `data-item` of an element says.
export interface Hooks {
  choice: Choice | null;
  can: Available;
  onpress: (item: string) => void;
  onask: (item: string) => void; // why can it not be chosen?
  ondrag: (item: string) => void;
  ondrop: () => void; // where it belongs
}

// A choice that is not (or no longer) legal is none.
export function valid(choice: Choice | null, legal: readonly string[]): Choice | null {
  return choice && legal.includes(actionText(choice)) ? choice : null;
}

// What clicking a colour of the own hand chooses: a card to give, or as many groups as there are.
export function ofColour(colour: string, can: Available): Choice | null {
  if (can.gives.includes(colour)) return { kind: 'give', colour };
  const groups = can.blocks[colour]?.at(-1);
  return groups === undefined ? null : { kind: 'block', colour, groups };
}

// What pressing an element of the table chooses; null if nothing can be chosen there.
export function ofItem(item: string, can: Available): Choice | null {
  const [kind = '', which = ''] = item.split(':');
  const number = Number(which);
  if (kind === 'row') return can.takes.includes(number) ? { kind: 'take', place: number } : null;
  if (kind === 'colour') return ofColour(which, can);
  if (kind === 'pile') return can.score ? { kind: 'score' } : null;
  return kind === 'from' && can.from.includes(number) ? { kind: 'from', seat: number } : null;
}

// One group more or fewer, as far as that can be laid.
export function stepped(choice: Choice | null, by: 1 | -1, can: Available): Choice | null {
  if (choice?.kind !== 'block') return choice;
  const counts = can.blocks[choice.colour] ?? [];
  const groups = counts[counts.indexOf(choice.groups) + by];
  return groups === undefined ? choice : { ...choice, groups };
}

// What pressing the chosen element again leaves of a choice: a group fewer, and after the last one nothing.
export function fewer(choice: Choice | null, can: Available): Choice | null {
  const next = stepped(choice, -1, can);
  return same(next, choice) ? null : next;
}

export function same(a: Choice | null, b: Choice | null): boolean {
  return a !== null && b !== null && actionText(a) === actionText(b);
}

// Whether the choice was made by pressing the same element, whatever number of groups it is now.
export function chosenBy(choice: Choice | null, next: Choice): boolean {
  if (choice?.kind === 'block' && next.kind === 'block') return choice.colour === next.colour;
  return same(choice, next);
}

// Whether a choice concerns this colour of the own hand.
export function concerns(choice: Choice | null, colour: string): boolean {
  return (choice?.kind === 'block' || choice?.kind === 'give') && choice.colour === colour;
}

// How many cards of a colour the choice would move.
export function moving(choice: Choice | null, colour: string): number {
  if (!concerns(choice, colour)) return 0;
  return choice?.kind === 'block' ? choice.groups * sizeOf(colour) : 1;
}

// The number on the cards of a colour, which is the size of a group.
export const sizeOf = (colour: string): number => Number(colour[0]);

export interface Held {
  colour: string;
  size: number; // of a group
  count: number;
  groups: number; // complete ones
  rest: number; // cards beyond them
}

// A hand by colours: all seven, so that each has its place whether it is held or not.
export function held(hand: readonly string[]): Held[] {
  const counts = countsOf(hand);
  return COLOURS.map((colour) => {
    const count = counts[colour] ?? 0;
    const size = sizeOf(colour);
    return { colour, size, count, groups: Math.floor(count / size), rest: count % size };
  });
}

// Who has a colour on top, and so keeps it from the others.
export function blockers(table: Pick<Public, 'players'>): Record<string, number> {
  const found: Record<string, number> = {};
  table.players.forEach((player, seat) => {
    if (player.top !== null) found[player.top] = seat;
  });
  return found;
}

// The places that get a card from the deck when a row is taken, in order. Only a hint: the server fills.
export function filling(place: number, deck: number): number[] {
  return Array.from({ length: Math.min(FILLED, deck) }, (_, i) => ((place - 1 + i) % PLACES) + 1);
}

export const emptyPlaces = (rows: readonly string[][]): number =>
  rows.filter((row) => row.length === 0).length;

export interface Bonus {
  count: number; // cards that are given; 0 for no bonus
  givers: number[]; // who has the most cards; several: one is picked
}

// What a score would bring besides the pile, as the hands stand. Only a hint: the server decides.
export function bonusOf(table: Pick<Public, 'players'>, seat: number): Bonus {
  const none = { count: 0, givers: [] };
  const own = table.players[seat];
  if (!own?.top) return none;
  const most = Math.max(...table.players.map((player) => player.hand_size));
  if (own.hand_size >= most) return none;
  const givers = table.players.flatMap((player, each) => (player.hand_size === most ? [each] : []));
  return { count: Math.min(sizeOf(own.top), most), givers };
}

export const pileSize = (pile: readonly { cards: string[] }[]): number =>
  pile.reduce((sum, lay) => sum + lay.cards.length, 0);
