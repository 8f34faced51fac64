import { describe, expect, it } from 'vitest';
import type { Renumber } from '../src/games/game';
import type { Replay, ReplayStep } from '../src/lib/http';
import type { GameEvent, GamePrivate, GamePublic } from '../src/lib/protocol';
import {
  flightTime,
  marksOf,
  nextMark,
  pace,
  previousMark,
  sceneOf,
  seatsOf,
  seenBy,
  SPEEDS,
  spoken,
  stepOf,
  turned,
  turnsOf,
  within,
} from '../src/lib/replay';

const event = (kind: string, more: Partial<GameEvent> = {}): GameEvent => ({
  kind,
  seat: null,
  other: null,
  cards: [],
  count: 0,
  place: 0,
  ...more,
});
const step = (active: number, ...events: GameEvent[]): ReplayStep => ({
  public: { active, seat: active, owner: 0, players: [{ score: 1 }, { score: 2 }] } as unknown as GamePublic,
  hands: [['1'], ['2', '2']],
  seat: events.length ? 0 : null,
  action: '',
  events,
});
// A game with a field of its own that names a seat.
const GAME = {
  turn: (table: GamePublic, seat: Renumber, around: <T>(list: readonly T[]) => T[]) =>
    ({
      ...table,
      owner: seat((table as unknown as { owner: number }).owner),
      players: around(table.players),
    }) as GamePublic,
  own: (hand: string[], steps: readonly ReplayStep[], side: number, at: number) =>
    ({ seat: 0, hand, legal: [], why: [], asked: [steps.length, side, at] }) as GamePrivate,
};
const replay = (steps: ReplayStep[]): Replay => ({
  id: 'x',
  game: 'a game',
  edition: 'classic',
  names: ['Ann', 'Bramble'],
  guests: ['g1', ''],
  finished_at: 0,
  imported: false,
  outcome: { reason: '', scores: [1, 2], winners: [1] },
  breakdown: [],
  steps,
  left_out: 0,
});

describe('the address', () => {
  it('names a step', () => {
    expect(stepOf('#0')).toBe(0);
    expect(stepOf('#120')).toBe(120);
  });
  it('or names none', () => {
    for (const hash of ['', '#', '#content', '#-1', '#1.5', '#1e9', '#12345678', '# 3'])
      expect(stepOf(hash)).toBeNull();
  });
  it('keeps a step inside the game', () => {
    expect(within(-3, 10)).toBe(0);
    expect(within(4.9, 10)).toBe(4);
    expect(within(99, 10)).toBe(10);
    expect(within(NaN, 10)).toBe(0);
    expect(within(Infinity, 10)).toBe(0);
    expect(within(5, 0)).toBe(0);
  });
});

describe('marks', () => {
  const steps = [
    step(0),
    step(0, event('plays'), event('snatches')),
    step(0, event('takes')),
    step(1, event('row'), event('row refill')),
    step(1, event('scores')),
  ];
  it('are the moments that the game calls notable', () => {
    expect(marksOf(new Set(['snatches', 'row']), steps)).toEqual([1, 3]);
    expect(marksOf(new Set(['scores']), steps)).toEqual([4]);
    expect(marksOf(new Set(), steps)).toEqual([]);
  });
  it('can be jumped to', () => {
    expect(nextMark([1, 3], 0)).toBe(1);
    expect(nextMark([1, 3], 1)).toBe(3);
    expect(nextMark([1, 3], 3)).toBeNull();
    expect(previousMark([1, 3], 4)).toBe(3);
    expect(previousMark([1, 3], 3)).toBe(1);
    expect(previousMark([1, 3], 1)).toBeNull();
    expect(previousMark([], 5)).toBeNull();
  });
});

describe('the log', () => {
  it('is divided where a turn begins', () => {
    const steps = [
      step(1),
      step(1, event('plays')),
      step(0, event('leaves'), event('turn')),
      step(1, event('plays')),
    ];
    expect(turnsOf(steps)).toEqual([null, 1, null, 0]);
  });
  it('does not say whose turn it is', () => {
    expect(spoken(step(0, event('plays'), event('turn'))).map((each) => each.kind)).toEqual(['plays']);
  });
});

describe('hidden hands', () => {
  const UNSEEN = { 'draws seen': 'draws unseen', gives: 'gives unseen' };
  const events = [
    event('draws seen', { seat: 1, cards: ['7'] }),
    event('gives', { seat: 1, other: 0, cards: ['3a', '3a'], count: 2 }),
    event('plays', { seat: 1, cards: ['4'] }),
  ];
  it('keep their secrets', () => {
    expect(seenBy(UNSEEN, events, 0)).toEqual([
      event('draws unseen', { seat: 1, count: 1 }),
      event('gives unseen', { seat: 1, other: 0, count: 2 }),
      events[2],
    ]);
  });
  it('but not from their owner', () => {
    expect(seenBy(UNSEEN, events, 1)).toEqual(events);
  });
});

describe('playing', () => {
  it('gets quicker with the speed, and cards arrive in time', () => {
    const paces = SPEEDS.map(pace);
    expect(paces).toEqual([...paces].sort((a, b) => b - a));
    for (const speed of SPEEDS) expect(flightTime(800, speed)).toBeLessThan(pace(speed));
    expect(flightTime(420, null)).toBe(420);
    expect(flightTime(0, 1)).toBe(0);
  });
});

describe('the players', () => {
  it('are bots if they have no identity and the name of a bot', () => {
    expect(seatsOf(replay([])).map((seat) => seat.kind)).toEqual(['person', 'bot']);
    const named = seatsOf({ names: ['Bramble', 'Ann'], guests: ['g1', ''] });
    expect(named.map((seat) => seat.kind)).toEqual(['person', 'person']);
    expect(seatsOf({ names: ['Bramble'], guests: [] })[0]?.kind).toBe('bot'); // imported
  });
});

describe('the scene', () => {
  it('shows every hand, or that of one side alone', () => {
    const game = replay([step(0)]);
    const open = sceneOf(GAME, game, 0, 1, true);
    expect(open).toMatchObject({
      hands: [['2', '2'], ['1']],
      seat: null,
      replay: true,
      ready: true,
      clock: null,
    });
    const shut = sceneOf(GAME, game, 0, 1, false);
    expect(shut.hands).toBeNull();
    expect(shut.own?.hand).toEqual(['2', '2']);
    expect(shut.legal).toEqual([]);
    expect(shut.seats.map((seat) => seat.name)).toEqual(['Bramble', 'Ann']);
    expect(sceneOf(GAME, game, 0, 0, false).seats.map((seat) => seat.name)).toEqual(['Ann', 'Bramble']);
  });
  it('asks the game what the side sees besides', () => {
    expect(sceneOf(GAME, replay([step(0), step(0)]), 1, 1, true).own).toMatchObject({ asked: [2, 1, 1] });
  });
  it('is turned with everything that names a seat', () => {
    const found = turned(GAME.turn, step(0, event('snatches', { seat: 0, other: 1 })), 1);
    expect(found.public).toMatchObject({
      active: 1,
      seat: 1,
      owner: 1,
      players: [{ score: 2 }, { score: 1 }],
    });
    expect(found.events[0]).toMatchObject({ seat: 1, other: 0 });
    expect(found.seat).toBe(1);
    expect(found.hands).toEqual([['2', '2'], ['1']]);
    const deal = { ...step(2), hands: [['a'], ['b'], ['c']] };
    expect(turned(GAME.turn, deal, 2)).toMatchObject({ seat: null, hands: [['c'], ['a'], ['b']] });
    expect(turned(GAME.turn, { ...deal, public: { ...deal.public, seat: null } }, 2).public.seat).toBeNull();
  });
});
