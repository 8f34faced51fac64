import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { GamePage } from '../src/games/game';
import type { Replay, ReplayStep } from '../src/lib/http';
import { Player, type Load } from '../src/lib/player.svelte';
import type { GameEvent, GamePrivate, GamePublic } from '../src/lib/protocol';
import { pace, type Sight, type Viewer } from '../src/lib/replay';

const event = (kind: string, seat: number): GameEvent => ({
  kind, seat, other: null, cards: ['7'], count: 1, place: 0,
}); // prettier-ignore
const HANDS = [['1'], ['2']];
const step = (viewer: Viewer, ...events: GameEvent[]): ReplayStep => ({
  public: { active: 0, seat: 0, players: [] } as unknown as GamePublic,
  own:
    typeof viewer === 'number'
      ? ({ seat: viewer, hand: HANDS[viewer], legal: [], why: [] } as unknown as GamePrivate)
      : null,
  hands: viewer === 'open' ? HANDS : null,
  seat: null,
  action: '',
  events,
});
// The game as the server tells it to a viewer: the last card that Ben draws is for him alone to see.
const told = (viewer: Viewer): Replay =>
  ({
    game: 'a game',
    names: ['Ann', 'Ben'],
    guests: ['', ''],
    steps: [
      step(viewer),
      step(viewer, event('plays', 0)),
      step(viewer, event('snatches', 1)),
      step(viewer, event(viewer === 1 || viewer === 'open' ? 'draws' : 'draws unseen', 1)),
    ],
  }) as unknown as Replay;
const flights = vi.fn<GamePage['flights']>(() => []);
const game = { notable: new Set(['snatches']), flights } as unknown as GamePage;
const load = vi.fn<Load>();
const start = (at = 0, sight: Sight = { side: 0, open: true }) =>
  new Player(game, load, told(sight.open ? 'open' : (sight.side ?? 'spectator')), sight, at);

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('document', { hidden: true });
  load.mockReset().mockImplementation(async (viewer) => told(viewer));
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

describe('a replay that is watched', () => {
  it('begins where the address says, within the game', () => {
    expect(start(2).step).toBe(2);
    expect(start(99).step).toBe(3);
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

  it('tells what the viewer was told, in words and in flights', async () => {
    const player = start(2, { side: 0, open: false });
    expect(player.told(3)).toEqual([{ text: 'draws unseen' }]);
    player.goTo(3);
    await vi.advanceTimersByTimeAsync(0);
    expect(flights.mock.lastCall?.[0]).toMatchObject([{ kind: 'draws unseen' }]);
    await player.see({ side: 1, open: false });
    expect(player.told(3)).toEqual([{ text: 'draws' }]);
  });

  it.each<[Sight, number | null]>([
    [{ side: 1, open: false }, 1],
    [{ side: 1, open: true }, 1],
    [{ side: null, open: true }, 0],
    [{ side: null, open: false }, null],
  ])('lets cards fly to their places in a hand that is seen: %o', async (sight, seat) => {
    const player = start(0, sight);
    player.goTo(1);
    await vi.advanceTimersByTimeAsync(0);
    expect(flights.mock.lastCall?.[3]).toBe(seat);
  });
});

describe('looking at it otherwise', () => {
  const ANN: Sight = { side: 0, open: false };
  const BEN: Sight = { side: 1, open: false };

  it('asks the server, and stays where it is', async () => {
    const player = start(2);
    await player.see(BEN);
    expect(load.mock.calls).toEqual([[1]]);
    expect([player.step, player.sight, player.scene.side]).toEqual([2, BEN, 1]);
    expect([player.scene.hands, player.scene.own?.hand]).toEqual([null, ['2']]);
    await player.see({ side: null, open: false });
    expect(load.mock.lastCall).toEqual(['spectator']);
    expect([player.step, player.scene.hands, player.scene.own]).toEqual([2, null, null]);
  });

  it('asks for each viewer once, and for none to turn a table that is open', async () => {
    const player = start();
    await player.see({ side: 1, open: true });
    expect([player.scene.side, player.scene.hands]).toEqual([1, HANDS]);
    expect(load).not.toHaveBeenCalled();
    await player.see(ANN);
    await player.see(BEN);
    await player.see({ ...ANN });
    await player.see({ side: 0, open: true });
    expect(load.mock.calls).toEqual([[0], [1]]);
  });

  it('shows what it showed until the other has come, and goes on meanwhile', async () => {
    let arrive = (_: Replay) => {};
    load.mockImplementation(() => new Promise((resolve) => (arrive = resolve)));
    const player = start(0);
    const seeing = player.see(BEN);
    player.goTo(1);
    await vi.advanceTimersByTimeAsync(0);
    expect([player.step, player.sight.open, player.scene.hands]).toEqual([1, true, HANDS]);
    expect(player.wish).toBe(BEN);
    arrive(told(1));
    await seeing;
    expect([player.step, player.sight, player.scene.hands]).toEqual([1, BEN, null]);
  });

  it('shows what was wished for last, whatever comes first', async () => {
    const arrive: ((found: Replay) => void)[] = [];
    load.mockImplementation(() => new Promise((resolve) => arrive.push(resolve)));
    const player = start();
    const both = [player.see(ANN), player.see(BEN)];
    arrive[1]!(told(1));
    await vi.advanceTimersByTimeAsync(0);
    arrive[0]!(told(0));
    await Promise.all(both);
    expect([player.sight, player.scene.own?.hand]).toEqual([BEN, ['2']]);
  });

  it('says so if it does not come, and can be tried again', async () => {
    load.mockRejectedValueOnce(new Error('offline'));
    const player = start(1);
    await player.see(BEN);
    expect(player.failure).toBeInstanceOf(Error);
    expect([player.step, player.sight.open, player.scene.hands]).toEqual([1, true, HANDS]);
    expect(player.wish).toBe(BEN);
    await player.see(player.wish);
    expect([player.failure, player.sight]).toEqual([null, BEN]);
    expect(load.mock.calls).toEqual([[1], [1]]);
  });

  it('forgets a failure that no longer matters', async () => {
    load.mockRejectedValueOnce(new Error('offline'));
    const player = start();
    const first = player.see(BEN);
    await player.see(ANN);
    await first;
    expect([player.failure, player.sight]).toEqual([null, ANN]);
  });
});
