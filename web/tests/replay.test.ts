import { describe, expect, it } from 'vitest';
import type { BloccoPublic, GameEvent, LinkoPublic } from '../src/lib/protocol';
import type { BloccoScene } from '../src/lib/scene';
import {
  flightTime,
  givenBy,
  marksOf,
  nextMark,
  pace,
  parsed,
  piecesOf,
  playersIn,
  previousMark,
  sceneOf,
  seenBy,
  SPEEDS,
  spoken,
  stepOf,
  turned,
  turnsOf,
  within,
  type Replay,
  type ReplayStep,
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
  public: { active, seat: active, victim: null, players: [{ score: 1 }, { score: 2 }] } as LinkoPublic,
  hands: [['1'], ['2', '2']],
  seat: events.length ? 0 : null,
  action: '',
  events,
});
const replay = (game: string, steps: ReplayStep[]): Replay => ({
  id: 'x',
  game,
  edition: 'classic',
  names: ['Ann', 'Ben'],
  guests: ['', ''],
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
  it('are snatches in Linko and scored piles in Blocco', () => {
    expect(marksOf('linko', steps)).toEqual([1, 3]);
    expect(marksOf('blocco', steps)).toEqual([4]);
    expect(marksOf('chess', steps)).toEqual([]);
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
  const events = [
    event('draws seen', { seat: 1, cards: ['7'] }),
    event('gives', { seat: 1, other: 0, cards: ['3a', '3a'], count: 2 }),
    event('plays', { seat: 1, cards: ['4'] }),
  ];
  it('keep their secrets', () => {
    expect(seenBy(events, 0)).toEqual([
      event('draws unseen', { seat: 1, count: 1 }),
      event('gives unseen', { seat: 1, other: 0, count: 2 }),
      events[2],
    ]);
  });
  it('but not from their owner', () => {
    expect(seenBy(events, 1)).toEqual(events);
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

describe('the scene', () => {
  it('shows every hand, or that of one side alone', () => {
    const game = replay('linko', [step(0)]);
    const open = sceneOf(game, 0, 1, true);
    expect(open.hands).toEqual([['2', '2'], ['1']]);
    expect(open.seat).toBeNull();
    const shut = sceneOf(game, 0, 1, false);
    expect(shut.hands).toBeNull();
    expect(shut.own?.hand).toEqual(['2', '2']);
    expect(shut.legal).toEqual([]);
    expect(shut.seats.map((seat) => seat.name)).toEqual(['Ben', 'Ann']);
    expect(sceneOf(game, 0, 0, false).seats.map((seat) => seat.name)).toEqual(['Ann', 'Ben']);
  });
  it('is turned with everything that names a seat', () => {
    const linko = turned(step(0, event('snatches', { seat: 0, other: 1 })), 1);
    expect(linko.public).toMatchObject({
      active: 1,
      seat: 1,
      victim: null,
      players: [{ score: 2 }, { score: 1 }],
    });
    expect(linko.events[0]).toMatchObject({ seat: 1, other: 0 });
    expect(linko.seat).toBe(1);
    const public_ = {
      active: 2,
      seat: 1,
      rows: [],
      givers: [0, 1],
      receiver: 2,
      players: [{}, {}, {}],
    } as unknown as BloccoPublic;
    const blocco = turned(
      { public: public_, hands: [['a'], ['b'], ['c']], seat: null, action: '', events: [] },
      2,
    );
    expect(blocco.public).toMatchObject({ active: 0, seat: 2, givers: [1, 2], receiver: 0 });
    expect(blocco.hands).toEqual([['c'], ['a'], ['b']]);
    expect(blocco.seat).toBeNull();
  });
  it('remembers what was given away', () => {
    const gift = (seat: number, card: string) => event('gives', { seat, cards: [card] });
    const steps = [step(0), step(0, gift(1, '3a')), step(0, gift(0, '1a')), step(0, gift(1, '4a'))].map(
      (each) => ({
        ...each,
        public: { active: 0, rows: [], givers: [], players: [] } as unknown as BloccoPublic,
      }),
    );
    expect(givenBy(steps, 1, 0)).toEqual([]);
    expect(givenBy(steps, 1, 2)).toEqual(['3a']);
    expect((sceneOf(replay('blocco', steps), 3, 1, true) as BloccoScene).own?.given).toEqual(['3a', '4a']);
  });
});

describe('records', () => {
  it('are found line by line, with the numbers that an editor shows', () => {
    expect(piecesOf('{"a":1}\n\n  {"b":2}\r\n')).toEqual([
      { line: 1, text: '{"a":1}' },
      { line: 3, text: '{"b":2}' },
    ]);
    expect(piecesOf('\ufeff{"a":1}')).toEqual([{ line: 1, text: '{"a":1}' }]);
    expect(piecesOf(' \n\n')).toEqual([]);
  });
  it('may be one that is spread over lines', () => {
    expect(piecesOf('\n{\n "a": 1\n}\n')).toEqual([{ line: 2, text: '{\n "a": 1\n}' }]);
    expect(piecesOf('{\n "a": \n}').length).toBe(3); // no record in any way: every line is complained about
  });
  it('are objects', () => {
    expect(parsed('{"a":1}')).toEqual({ a: 1 });
    for (const text of ['', '[]', 'null', '5', '"x"', '{']) expect(parsed(text)).toBeNull();
  });
  it('name their players, if they do', () => {
    expect(playersIn({ seats: ['Ann', 'Ben'] })).toBe('Ann, Ben');
    expect(playersIn({ seats: ['Ann', 5] })).toBe('Ann');
    expect(playersIn({})).toBe('');
  });
});
