import { cardset } from '../src/games/blocco/cardset';
import { describe, expect, it } from 'vitest';
import {
  actionText,
  available,
  blockers,
  bonusOf,
  chosenBy,
  concerns,
  emptyPlaces,
  fewer,
  filling,
  held,
  moving,
  ofColour,
  ofItem,
  pileSize,
  same,
  stepped,
  valid,
} from '../src/games/blocco/choice';
import { itemOf, towards } from '../src/games/blocco/keys';
import type { Player } from '../src/games/blocco/protocol';
import { SHORTCUTS } from '../src/games/blocco/shortcuts';
import { cardsInWords, cardWords, columnWords, pileWords, whyText } from '../src/games/blocco/words';
import type { SeatInfo } from '../src/lib/protocol';

const player = (hand_size: number, top: string | null = null): Player => ({
  hand_size,
  top,
  pile: top ? [{ colour: top, groups: 1, cards: [top] }] : [],
  score_size: 0,
  known: [],
  doubtful: [],
  score: -hand_size,
});

describe('what can be chosen', () => {
  const can = available(['take 1', 'take 8', 'block 2a 2', 'block 2a 1', 'block 4a 1', 'score']);

  it('is read from the legal actions alone', () => {
    expect(can).toEqual({
      takes: [1, 8],
      blocks: { '2a': [1, 2], '4a': [1] },
      score: true,
      from: [],
      gives: [],
    });
    expect(available([])).toEqual({ takes: [], blocks: {}, score: false, from: [], gives: [] });
    expect(available(['from 1', 'from 3']).from).toEqual([0, 2]);
    expect(available(['give 1a', 'give 3b']).gives).toEqual(['1a', '3b']);
  });

  it('is told in the words of the rules', () => {
    expect(actionText({ kind: 'take', place: 3 })).toBe('take 3');
    expect(actionText({ kind: 'block', colour: '2a', groups: 2 })).toBe('block 2a 2');
    expect(actionText({ kind: 'score' })).toBe('score');
    expect(actionText({ kind: 'from', seat: 1 })).toBe('from 2');
    expect(actionText({ kind: 'give', colour: '3a' })).toBe('give 3a');
  });

  it('is none when it is not legal', () => {
    expect(valid({ kind: 'take', place: 3 }, ['take 1'])).toBeNull();
    expect(valid({ kind: 'take', place: 1 }, ['take 1'])).toEqual({ kind: 'take', place: 1 });
    expect(valid(null, ['take 1'])).toBeNull();
    expect(valid({ kind: 'score' }, [])).toBeNull(); // while an action is on its way
  });

  it('starts with all groups of a colour, and gives a card where that is asked', () => {
    expect(ofColour('2a', can)).toEqual({ kind: 'block', colour: '2a', groups: 2 });
    expect(ofColour('3a', can)).toBeNull();
    expect(ofColour('3a', available(['give 3a']))).toEqual({ kind: 'give', colour: '3a' });
  });

  it('steps through the groups and stops at the ends', () => {
    const two = ofColour('2a', can);
    const one = stepped(two, -1, can);
    expect(one).toEqual({ kind: 'block', colour: '2a', groups: 1 });
    expect(stepped(one, -1, can)).toEqual(one);
    expect(stepped(one, 1, can)).toEqual(two);
    expect(stepped(two, 1, can)).toEqual(two);
    expect(stepped({ kind: 'score' }, 1, can)).toEqual({ kind: 'score' });
  });

  it('goes a group down when its colour is pressed again, and then away', () => {
    const two = ofColour('2a', can)!;
    const one = fewer(two, can)!;
    expect(actionText(one)).toBe('block 2a 1');
    expect(chosenBy(one, two)).toBe(true);
    expect(fewer(one, can)).toBeNull();
    expect(fewer({ kind: 'score' }, can)).toBeNull();
  });

  it('follows from the element that was pressed', () => {
    expect(ofItem('row:8', can)).toEqual({ kind: 'take', place: 8 });
    expect(ofItem('row:2', can)).toBeNull();
    expect(ofItem('colour:4a', can)).toEqual({ kind: 'block', colour: '4a', groups: 1 });
    expect(ofItem('pile', can)).toEqual({ kind: 'score' });
    expect(ofItem('from:2', available(['from 3']))).toEqual({ kind: 'from', seat: 2 });
    expect(ofItem('from:1', available(['from 3']))).toBeNull();
  });

  it('moves as many cards as will be laid or given', () => {
    expect(moving(ofColour('2a', can), '2a')).toBe(4);
    expect(moving(ofColour('2a', can), '4a')).toBe(0);
    expect(moving({ kind: 'give', colour: '4a' }, '4a')).toBe(1);
  });

  it('knows what it concerns', () => {
    expect(concerns({ kind: 'give', colour: '3a' }, '3a')).toBe(true);
    expect(concerns({ kind: 'take', place: 3 }, '3a')).toBe(false);
    expect(same({ kind: 'score' }, { kind: 'score' })).toBe(true);
    expect(same(null, null)).toBe(false);
    expect(itemOf({ kind: 'block', colour: '2a', groups: 1 })).toBe('colour:2a');
  });
});

describe('the table', () => {
  it('groups a hand by all seven colours', () => {
    const hand = held(['3a', '1a', '3a', '3a', '3a', '3a', '4a']);
    expect(hand.map((each) => each.colour)).toEqual(['1a', '1b', '2a', '2b', '3a', '3b', '4a']);
    expect(hand[4]).toEqual({ colour: '3a', size: 3, count: 5, groups: 1, rest: 2 });
    expect(hand[6]).toEqual({ colour: '4a', size: 4, count: 1, groups: 0, rest: 1 });
    expect(hand[1]).toEqual({ colour: '1b', size: 1, count: 0, groups: 0, rest: 0 });
  });

  it('tells who blocks what', () => {
    expect(blockers({ players: [player(3), player(2, '4a'), player(2, '1b')] })).toEqual({
      '4a': 1,
      '1b': 2,
    });
  });

  it('fills clockwise, round the corner, as far as the deck goes', () => {
    expect(filling(3, 50)).toEqual([3, 4, 5]);
    expect(filling(8, 50)).toEqual([8, 1, 2]);
    expect(filling(4, 2)).toEqual([4, 5]);
    expect(filling(4, 0)).toEqual([]);
    expect(emptyPlaces([[], ['1a'], []])).toBe(2);
  });

  it('foretells the bonus', () => {
    expect(bonusOf({ players: [player(3, '3a'), player(5), player(5), player(2)] }, 0)).toEqual({
      count: 3,
      givers: [1, 2],
    });
    expect(bonusOf({ players: [player(5, '3a'), player(5), player(2)] }, 0)).toEqual({
      count: 0,
      givers: [],
    });
    expect(bonusOf({ players: [player(0, '4a'), player(2), player(1)] }, 0)).toEqual({
      count: 2,
      givers: [1],
    });
    expect(bonusOf({ players: [player(0), player(2), player(1)] }, 0)).toEqual({ count: 0, givers: [] });
    expect(pileSize([{ cards: ['1a'] }, { cards: ['2a', '2a'] }])).toBe(3);
  });
});

describe('the arrow keys', () => {
  it('lead along rows and colours and between them', () => {
    expect(towards('row:8', 'ArrowRight', [])).toEqual(['row:1']);
    expect(towards('row:5', 'ArrowDown', [])[0]).toBe('pile');
    expect(towards('colour:4a', 'ArrowRight', [])[0]).toBe('pile');
    expect(towards('colour:1b', 'ArrowLeft', [])[0]).toBe('colour:1a');
    expect(towards('colour:1b', 'ArrowUp', [])).toEqual(['row:5']);
    expect(towards('from:1', 'ArrowRight', ['from:1', 'from:2'])).toEqual(['from:2']);
    expect(towards('', 'ArrowUp', [])).toEqual(['row:1']);
  });
});

describe('the words', () => {
  it('count cards by colour', () => {
    expect(cardWords(['4a', '2a', '2a'])).toBe('2 light blue, 1 red');
    expect(pileWords([])).toBe('Blocking pile: empty');
    expect(
      pileWords([
        { colour: '1a', groups: 1, cards: ['1a'] },
        { colour: '2b', groups: 1, cards: ['2b', '2b'] },
      ]),
    ).toBe('Blocking pile: 2 blue on top, 1 light green');
  });

  it('name the cards that fill rows in the order of their places', () => {
    expect(cardsInWords(['4a', '2a', '4a'], 'fills')).toBe('red 4, light blue 2, red 4');
    expect(cardset.sorted(['4a', '2a', '4a'], 'fills')).toEqual(['4a', '2a', '4a']);
    expect(cardset.sorted(['4a', '2a', '4a'], 'takes')).toEqual(['2a', '4a', '4a']);
    expect(cardsInWords(['4a', '2a', '4a'])).toBe('light blue 2, 2 × red 4');
  });

  it('tell who blocks a colour, and how far the groups are', () => {
    const scene = { seats: [{ name: 'Ann' }, { name: 'Ben' }] as SeatInfo[], seat: 0 };
    const column = held(['3a', '3a', '3a', '3a'])[4]!;
    expect(columnWords(column, false, 1, scene)).toBe('yellow: 4 in hand, 1 complete group; blocked by Ben');
    expect(columnWords(column, false, 0, scene)).toMatch(/blocked by you$/);
    expect(columnWords(held([])[4]!, true, null, scene)).toBe('yellow; not blocked');
  });

  it('say why something cannot be chosen, for every reason of the server', () => {
    const scene = { seats: [{ name: 'Ann' }, { name: 'Ben' }] as SeatInfo[] };
    const codes = ['row-empty', 'none', 'incomplete', 'blocked', 'pile-empty', 'pick-first', 'fewer-cards', 'give-first', 'over', 'wait']; // prettier-ignore
    for (const code of codes)
      expect(whyText({ places: [], code, seat: 1, count: 2 }, scene), code).not.toBe('');
    expect(whyText({ places: [], code: 'blocked', seat: 1, count: 0 }, scene)).toBe(
      'Ben blocks this colour.',
    );
    expect(whyText(null, scene)).toBe('');
  });

  it('list the shortcuts', () => {
    expect(SHORTCUTS.every(({ keys, text }) => keys && text && !text.startsWith('blocco.'))).toBe(true);
  });
});
