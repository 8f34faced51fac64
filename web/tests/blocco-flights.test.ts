import { describe, expect, it } from 'vitest';
import { deal, flights, striking } from '../src/games/blocco/flights';
import en from '../src/games/blocco/locales/en.json';
import type { Public } from '../src/games/blocco/protocol';
import type { GameEvent } from '../src/lib/protocol';

const table = { active: 1 } as Public;
const event = (kind: string, rest: Partial<GameEvent> = {}): GameEvent => ({
  kind, seat: 1, other: null, cards: [], count: 0, place: 0, ...rest,
}); // prettier-ignore
const of = (events: GameEvent[], seat: number | null = 0) => flights(events, table, seat);

describe('flights', () => {
  it('take a row to another hand, then fill the circle round the corner', () => {
    const found = of([
      event('takes', { cards: ['2a', '4a'], place: 8 }),
      event('fills', { seat: null, cards: ['1a', '3b', '3b'], place: 8 }),
      event('turn', { seat: 2 }),
    ]);
    expect(found).toEqual([
      { cards: ['2a', '4a'], from: ['row:8'], to: ['hand:1'], order: 0 },
      { cards: ['1a'], from: ['deck'], to: ['new:8', 'row:8'], order: 1 },
      { cards: ['3b'], from: ['deck'], to: ['new:1', 'row:1'], order: 1.5 },
      { cards: ['3b'], from: ['deck'], to: ['new:2', 'row:2'], order: 2 },
    ]);
  });

  it('sort an own take by colours', () => {
    expect(of([event('takes', { cards: ['2a', '4a', '2a'], place: 3 })], 1)).toEqual([
      { cards: ['2a', '2a'], from: ['row:3'], to: ['came:2a', 'own:2a', 'hand:1'], order: 0 },
      { cards: ['4a'], from: ['row:3'], to: ['came:4a', 'own:4a', 'hand:1'], order: 0 },
    ]);
  });

  it('lay groups on a pile', () => {
    const cards = ['2a', '2a'];
    expect(of([event('blocks', { cards })])).toEqual([
      { cards, from: ['hand:1'], to: ['top:1', 'pile:1'], order: 0 },
    ]);
    expect(of([event('blocks', { cards })], 1)[0]?.from).toEqual(['own:2a', 'hand:1']);
  });

  it('turn a pile over, and bring a whole hand as a bonus afterwards', () => {
    expect(
      of([event('scores', { count: 9 }), event('gives unseen', { seat: 2, other: 1, count: 2 })]),
    ).toEqual([
      { cards: ['', '', '', ''], from: ['pile:1'], to: ['score:1'], order: 0 },
      { cards: ['', ''], from: ['hand:2'], to: ['score:1'], order: 1 },
    ]);
  });

  it('show the giver which card goes', () => {
    expect(of([event('gives', { seat: 0, other: 1, cards: ['3a'], count: 1 })])).toEqual([
      { cards: ['3a'], from: ['own:3a', 'hand:0'], to: ['score:1'], order: 0 },
    ]);
  });

  it('leave the rest where it is', () => {
    const kinds = [
      'no bonus',
      'picks',
      'must give',
      'last action',
      'turn',
      'rows-exhausted',
      'something new',
    ];
    expect(of(kinds.map((kind) => event(kind)))).toEqual([]);
  });
});

describe('the moments of a game', () => {
  it('begin with the deal: everybody, then the ring', () => {
    const found = deal({ players: [{ hand_size: 2 }, { hand_size: 2 }], rows: [['1a'], ['4a']] } as Public);
    expect(found.map(({ to }) => to[0])).toEqual(['hand:0', 'hand:1', 'new:1', 'new:2']);
    expect(found.every(({ from }) => from[0] === 'deck')).toBe(true);
    expect(found.map(({ cards }) => cards)).toEqual([['', ''], ['', ''], ['1a'], ['4a']]);
    expect(found.every(({ order }, i) => i === 0 || order > found[i - 1]!.order)).toBe(true);
  });

  it('are the scores, which mark a pile', () => {
    expect(striking(event('scores', { seat: 2 }))).toBe('pile:2');
    expect(striking(event('blocks'))).toBeNull();
  });
});

describe('the words of the log', () => {
  it('cover every kind of event and part', () => {
    const kinds = ['takes', 'fills', 'blocks', 'scores', 'no bonus', 'picks', 'must give', 'gives', 'gives unseen', 'last action', 'turn', 'rows-exhausted']; // prettier-ignore
    const keys = [
      ...kinds.map((kind) => `blocco.event.${kind.replaceAll(' ', '-')}`),
      ...['score pile', 'hand', 'blocking pile'].map((name) => `blocco.part.${name.replaceAll(' ', '-')}`),
    ];
    expect(keys.filter((key) => !(key in en))).toEqual([]);
  });
});
