import { describe, expect, it } from 'vitest';
import { extendable, grouped, playText, sorted } from '../src/lib/cards';
import type { GameEvent, LinkoPublic } from '../src/lib/protocol';
import { opponents } from '../src/lib/scene';
import { actionOf, choose, keep, victims } from '../src/linko/choice';
import { filled, flights, slotOf } from '../src/linko/flights';

const LEGAL = ['play 7', 'play 7 7', 'play 7 7 X', 'play 9', 'play 9 X', 'play X'];

describe('cards', () => {
  it('are sorted by value, jokers last', () => {
    expect(sorted(['X', '10', '2', '13', '2'])).toEqual(['2', '2', '10', '13', 'X']);
  });
  it('are grouped', () => {
    expect(grouped(['7', 'X', '7'])).toEqual([
      { card: '7', count: 2 },
      { card: 'X', count: 1 },
    ]);
  });
  it('make the text of a play: numbers, then jokers', () => {
    expect(playText({ X: 1, '7': 2 })).toBe('play 7 7 X');
    expect(playText({})).toBe('');
  });
});

describe('choosing', () => {
  it('keeps what goes together', () => {
    expect(choose({ '7': 2 }, 'X', 1, LEGAL)).toEqual({ '7': 2, X: 1 });
    expect(actionOf({ '7': 2, X: 1 }, LEGAL)).toBe('play 7 7 X');
  });
  it('drops another value, and keeps the joker if it may', () => {
    expect(choose({ '7': 2, X: 1 }, '9', 1, LEGAL)).toEqual({ '9': 1, X: 1 });
    expect(choose({ '7': 2 }, '9', 1, LEGAL)).toEqual({ '9': 1 });
  });
  it('can be taken back', () => {
    expect(choose({ '7': 1 }, '7', 0, LEGAL)).toEqual({});
  });
  it('offers nothing that is not legal', () => {
    expect(actionOf({ '8': 1 }, LEGAL)).toBe('');
    expect(extendable({ '9': 2 }, LEGAL)).toBe(false);
  });
  it('survives a changed hand as far as it can', () => {
    expect(keep({ '7': 2 }, ['7', '9'], ['play 7', 'play 9'])).toEqual({ '7': 1 });
    expect(keep({ '7': 2 }, ['9'], ['play 9'])).toEqual({});
  });
  it('tells whose sets are snatched', () => {
    const snatches = [{ action: 'play 9', values: ['3'], seats: [2, 1] }];
    expect(victims('play 9', snatches)).toEqual({ seats: [2, 1], values: ['3'] });
    expect(victims('play 7', snatches)).toEqual({ seats: [], values: [] });
  });
});

describe('the table', () => {
  it('has the opponents clockwise from the left', () => {
    expect(opponents(4, 2)).toEqual([3, 0, 1]);
    expect(opponents(3, null)).toEqual([1, 2]);
  });
});

const event = (kind: string, more: Partial<GameEvent> = {}): GameEvent => ({
  kind, seat: null, other: null, cards: [], count: 0, place: 0, ...more,
}); // prettier-ignore
const table = (display: string[][]) => ({ display }) as unknown as LinkoPublic;

describe('flights', () => {
  it('go from the hand to the top', () => {
    const [flight] = flights([event('plays', { seat: 1, cards: ['7', '7'] })], table([]), table([]), 0);
    expect(flight).toMatchObject({ cards: ['7', '7'], to: ['top:1'], order: 0 });
    expect(flight!.from).toContain('hand:1');
  });
  it('draw from the right slot, then fill it up', () => {
    const before = [['3'], ['5'], ['5', '13'], ['X'], ['1'], ['2']];
    const after = [['3'], ['9'], ['5', '13'], ['X'], ['1'], ['2']];
    expect(slotOf(['5', '13'], before)).toBe(2);
    expect(filled(before, after, ['9'])).toEqual([1]);
    const found = flights(
      [event('draws', { seat: 0, cards: ['5'] }), event('refill', { cards: ['9'] })],
      table(before),
      table(after),
      0,
    );
    expect(found.map((flight) => [flight.from[0], flight.to[0], flight.order])).toEqual([
      ['slot:1', 'hand:0', 0],
      ['deck', 'slot:1', 1],
    ]);
  });
  it('show no card that was not told', () => {
    const [flight] = flights([event('draws unseen', { seat: 2, count: 1 })], table([]), table([]), 0);
    expect(flight!.cards).toEqual(['']);
  });
  it('are none for words alone', () => {
    expect(
      flights(
        [event('turn', { seat: 1 }), event('snatches', { seat: 1, other: 0, cards: ['4'] })],
        table([]),
        table([]),
        0,
      ),
    ).toEqual([]);
  });
});
