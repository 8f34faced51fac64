import { describe, expect, it } from 'vitest';
import type { Replay, ReplayStep } from '../src/lib/http';
import type { GameEvent, GamePrivate, GamePublic } from '../src/lib/protocol';
import { path } from '../src/lib/paths';
import {
  flightTime,
  marksOf,
  nextMark,
  pace,
  previousMark,
  sceneOf,
  seatsOf,
  SPEEDS,
  spoken,
  stepOf,
  turnsOf,
  viewerOf,
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
  public: { active, seat: active, players: [{ score: 1 }, { score: 2 }] } as unknown as GamePublic,
  own: null,
  hands: null,
  seat: events.length ? 0 : null,
  action: '',
  events,
});
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

describe('viewers', () => {
  it('are a seat, a spectator, or somebody who may see everything', () => {
    expect(viewerOf({ side: 2, open: false })).toBe(2);
    expect(viewerOf({ side: 0, open: false })).toBe(0);
    expect(viewerOf({ side: null, open: false })).toBe('spectator');
    expect(viewerOf({ side: 2, open: true })).toBe('open');
    expect(viewerOf({ side: null, open: true })).toBe('open');
  });
  it('have an address each', () => {
    expect(path.steps('a-1', 'open')).toBe('/api/records/a-1/replay');
    expect(path.steps('a-1', 0)).toBe('/api/records/a-1/replay?viewer=0');
    expect(path.steps('a-1', 'spectator')).toBe('/api/records/a-1/replay?viewer=spectator');
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
  const own = { seat: 1, hand: ['2', '2'], legal: [], why: [] } as GamePrivate;
  const sent = step(0, event('snatches', { seat: 0, other: 1 }));

  it('shows what was sent, and nothing else', () => {
    const hands = [['1'], ['2', '2']];
    const told = replay([step(0), { ...sent, hands }, { ...sent, own }, sent]);
    expect(sceneOf(told, 1, 1)).toMatchObject({ hands, own: null });
    expect(sceneOf(told, 2, 1)).toMatchObject({ hands: null, own });
    expect(sceneOf(told, 3, null)).toMatchObject({ hands: null, own: null });
    for (const number of [0, 1, 2, 3])
      expect(sceneOf(told, number, 1).public).toBe(told.steps[number]!.public);
  });
  it('is seen from a side, by somebody who does not sit there', () => {
    const told = replay([{ ...sent, own }]);
    expect(sceneOf(told, 0, 1)).toMatchObject({ side: 1, seat: null, replay: true, ready: true, legal: [] });
    expect(sceneOf(told, 0, null).side).toBe(0);
    expect(sceneOf(told, 0, 1).seats.map((seat) => seat.name)).toEqual(['Ann', 'Bramble']);
  });
});
