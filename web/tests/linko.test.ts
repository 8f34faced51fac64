import { describe, expect, it } from 'vitest';
import page from '../src/games/linko';
import { extendable, grouped, playText, sorted, valueOf } from '../src/games/linko/cards';
import { actionOf, choose, keep, oneMore, pressed, stepped, victims } from '../src/games/linko/choice';
import { deal, filled, flights, slotOf, striking } from '../src/games/linko/flights';
import { OPEN_GAP, openCard, openStep } from '../src/games/linko/layout';
import type { Public } from '../src/games/linko/protocol';
import type { GameEvent } from '../src/lib/protocol';
import { opponents } from '../src/lib/scene';

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
  it('have the value of their numbers, or are jokers alone', () => {
    expect(valueOf(['X', '7'])).toBe('7');
    expect(valueOf(['X'])).toBe('X');
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
  it('lifts the cards up to the one that is pressed, and lays them down again', () => {
    expect(pressed(0, 3)).toBe(3);
    expect(pressed(3, 3)).toBe(2);
    expect(pressed(3, 1)).toBe(0);
    expect([0, 1, 2].map((picked) => oneMore(picked, 2))).toEqual([1, 2, 0]);
  });
  it('changes the number of the value, or of jokers alone', () => {
    expect(stepped({ X: 1, '7': 2 })).toBe('7');
    expect(stepped({ X: 1 })).toBe('X');
    expect(stepped({})).toBeNull();
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
    expect(opponents(3, 0)).toEqual([1, 2]);
  });
});

const event = (kind: string, more: Partial<GameEvent> = {}): GameEvent => ({
  kind, seat: null, other: null, cards: [], count: 0, place: 0, ...more,
}); // prettier-ignore
const table = (display: string[][]) => ({ display }) as unknown as Public;

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
      1,
    );
    expect(found.map((flight) => [flight.from[0], flight.to[0], flight.order])).toEqual([
      ['slot:1', 'hand:0', 0],
      ['deck', 'slot:1', 1],
    ]);
  });
  it('find the own cards by their values', () => {
    const [flight] = flights([event('draws seen', { seat: 1, cards: ['5'] })], table([]), table([]), 1);
    expect(flight!.to).toEqual(['own:5', 'hand:1']);
  });
  it('show no card that was not told', () => {
    const [flight] = flights([event('draws unseen', { seat: 2, count: 1 })], table([]), table([]), 2);
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

describe('what the rest of the page asks of the game', () => {
  it('marks the set or the row that is snatched', () => {
    expect(striking(event('snatches', { seat: 1, other: 2 }))).toBe('top:2');
    expect(striking(event('row', { seat: 1, cards: ['4'] }))).toBe('row:4');
    expect(striking(event('plays', { seat: 1 }))).toBeNull();
  });
  it('deals to every seat from the deck', () => {
    const found = deal({ players: [{}, {}, {}] } as unknown as Public);
    expect(found.map((flight) => flight.to[0])).toEqual(['hand:0', 'hand:1', 'hand:2']);
    expect(
      found.every((flight) => flight.from[0] === 'deck' && flight.cards.every((card) => card === '')),
    ).toBe(true);
  });
  it('asks before what cannot be taken back', () => {
    expect(['discard', 'leave', 'take', 'play 7', 'draw deck'].filter(page.irreversible)).toEqual([
      'discard',
      'leave',
    ]);
  });
});

describe('an open hand of somebody else', () => {
  it('is small enough to be seen whole', () => {
    expect(openCard([1, 1, 1], 200, 60)).toBe(21);
    expect(openCard([], 100, 30)).toBe(21);
    for (const w of [90, 120, 160, 240])
      for (const count of [4, 8, 13]) {
        const card = openCard(Array<number>(count).fill(2), w, 40);
        const across = Math.floor((w + OPEN_GAP) / (card + openStep(card) + OPEN_GAP));
        if (card > 11) expect(Math.ceil(count / across) * (card * 1.4 + OPEN_GAP)).toBeLessThanOrEqual(42);
      }
  });
});
