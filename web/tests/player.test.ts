import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { GamePage } from '../src/games/game';
import type { Replay, ReplayStep } from '../src/lib/http';
import { Player } from '../src/lib/player.svelte';
import type { GameEvent, GamePublic } from '../src/lib/protocol';
import { pace } from '../src/lib/replay';

const event = (kind: string, seat: number): GameEvent => ({
  kind, seat, other: null, cards: ['7'], count: 1, place: 0,
}); // prettier-ignore
const step = (...events: GameEvent[]): ReplayStep => ({
  public: { active: 0, seat: 0, players: [] } as unknown as GamePublic,
  hands: [['1'], ['2']],
  seat: null,
  action: '',
  events,
});
const replay = {
  game: 'a game',
  names: ['Ann', 'Ben'],
  guests: ['', ''],
  steps: [step(), step(event('plays', 0)), step(event('snatches', 1)), step(event('draws', 1))],
} as unknown as Replay;
const flights = vi.fn(() => []);
const game = {
  notable: new Set(['snatches']),
  unseen: { draws: 'draws unseen' },
  turn: (table: GamePublic) => table,
  own: () => null,
  flights,
} as unknown as GamePage;
const start = (more: Partial<{ step: number; side: number; open: boolean }> = {}) =>
  new Player(replay, game, { step: 0, side: 0, open: true, ...more });

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('document', { hidden: true });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('a replay that is watched', () => {
  it('begins where the address says, within the game', () => {
    expect(start({ step: 2 }).step).toBe(2);
    expect(start({ step: 99 }).step).toBe(3);
    expect(start().marks).toEqual([2]);
  });

  it('goes to steps and marks, and says where it is', async () => {
    const player = start();
    const moves: number[] = [];
    player.onmove = (at) => moves.push(at);
    player.goTo(1);
    await vi.advanceTimersByTimeAsync(0);
    player.toMark(false);
    await vi.advanceTimersByTimeAsync(0);
    player.toMark(false); // there is no other
    player.goTo(-5);
    await vi.advanceTimersByTimeAsync(0);
    expect(moves).toEqual([1, 2, 0]);
  });

  it('plays by itself to the end, and once more from the start', async () => {
    const player = start();
    await player.toggle();
    await vi.advanceTimersByTimeAsync(pace(1) * 5);
    expect([player.step, player.playing]).toEqual([3, false]);
    await player.toggle();
    expect([player.step, player.playing]).toEqual([0, true]);
    await vi.advanceTimersByTimeAsync(pace(1));
    expect(player.step).toBe(1);
    player.pause();
    await vi.advanceTimersByTimeAsync(pace(1) * 5);
    expect(player.step).toBe(1);
  });

  it('stops when somebody takes over', async () => {
    const player = start();
    await player.toggle();
    player.goTo(2);
    await vi.advanceTimersByTimeAsync(pace(1) * 5);
    expect([player.step, player.playing]).toEqual([2, false]);
  });

  it('tells no more than the open hands show', async () => {
    const player = start({ open: false });
    expect(player.told(3)).toEqual([{ text: 'draws unseen' }]);
    player.side = 1;
    expect(player.told(3)).toEqual([{ text: 'draws' }]);
    player.side = 0;
    player.step = 2;
    player.goTo(3);
    await vi.advanceTimersByTimeAsync(0);
    expect((flights.mock.lastCall as unknown[])[0]).toMatchObject([{ kind: 'draws unseen', cards: [] }]);
  });
});
