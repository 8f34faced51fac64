import { describe, expect, it } from 'vitest';
import { held } from '../src/games/blocco/choice';
import { columnOf, freshCards, pileOf, spread, tallyOf } from '../src/games/blocco/heap';
import { handOf, needs, nextPlace, ringOf, seatOf, settled } from '../src/games/blocco/layout';
import type { Lay } from '../src/games/blocco/protocol';
import { frameOf, pageOf, type Box } from '../src/table/layout';

const WINDOWS = [
  [360, 640], [390, 664], [390, 844], [412, 915], [640, 400], [844, 390], [768, 1024], [820, 1180], [1024, 768],
  [1280, 600], [1280, 800], [1366, 650], [1440, 900], [1920, 1080], [2560, 1440],
] as const; // prettier-ignore

function tableOf(width: number, height: number) {
  const { header, panel } = pageOf(width, height);
  return { w: width - panel, h: height - header };
}

const inside = (box: Box, outer: Box) =>
  box.x >= outer.x - 0.5 &&
  box.y >= outer.y - 0.5 &&
  box.x + box.w <= outer.x + outer.w + 0.5 &&
  box.y + box.h <= outer.y + outer.h + 0.5;
const apart = (a: Box, b: Box) =>
  a.x + a.w <= b.x + 0.5 || b.x + b.w <= a.x + 0.5 || a.y + a.h <= b.y + 0.5 || b.y + b.h <= a.y + 0.5;

function boxesOf(width: number, height: number, players: number, bar: boolean) {
  const size = tableOf(width, height);
  const frame = settled(frameOf(size, needs(players), bar));
  const ring = ringOf(frame.middle);
  const hand = handOf(frame.hand);
  const columns = hand.columns.map((box) => ({ ...box, x: box.x + frame.hand.x, y: box.y + frame.hand.y }));
  const all: [string, Box][] = [
    ...frame.seats.map((box, i): [string, Box] => [`seat ${i}`, box]),
    ...ring.rows.map((box, i): [string, Box] => [`row ${i + 1}`, box]),
    ['deck', ring.deck],
    ['own', frame.own],
    ...columns.map((box, i): [string, Box] => [`column ${i}`, box]),
    ...(frame.bar ? [['bar', frame.bar] as [string, Box]] : []),
  ];
  return { size, frame, ring, hand, columns, all };
}

describe.each(WINDOWS.flatMap(([w, h]) => [3, 4, 5].map((players) => [w, h, players] as const)))(
  'a window of %d × %d with %d players',
  (w, h, players) => {
    it.each([true, false])('holds everything, and nothing lies on anything else (with a bar: %s)', (bar) => {
      const { size, all } = boxesOf(w, h, players, bar);
      const table = { x: 0, y: 0, ...size };
      for (const [name, box] of all) expect(inside(box, table), `${name} ${JSON.stringify(box)}`).toBe(true);
      all.forEach(([name, box], i) => {
        for (const [other, second] of all.slice(i + 1))
          expect(
            apart(box, second),
            `${name} ${JSON.stringify(box)}, ${other} ${JSON.stringify(second)}`,
          ).toBe(true);
      });
    });

    it('has a seat for everybody, and what can be pressed is large enough for a finger', () => {
      const { frame, ring, columns } = boxesOf(w, h, players, true);
      expect(frame.seats).toHaveLength(players - 1);
      const seats = frame.seats.map((box) => ({ ...box, h: box.h }));
      for (const box of [...ring.rows, ...columns, ...seats]) {
        expect(box.w).toBeGreaterThanOrEqual(40);
        expect(box.h).toBeGreaterThanOrEqual(40);
      }
      expect(seatOf(frame.own).rest.h).toBeGreaterThanOrEqual(40); // the own pile
    });

    it('shows cards that can be read', () => {
      const { ring, hand } = boxesOf(w, h, players, true);
      expect(ring.card).toBeGreaterThanOrEqual(26);
      expect(hand.card).toBeGreaterThanOrEqual(40);
      expect(hand.room.w).toBeGreaterThanOrEqual(hand.card);
      expect(Math.min(hand.free.w, hand.free.h)).toBeGreaterThanOrEqual(0);
    });

    it('has room within every seat', () => {
      const { frame } = boxesOf(w, h, players, true);
      for (const box of [...frame.seats, frame.own]) {
        const seat = seatOf(box);
        const wide = seat.column ? seat.plate.w : seat.plate.w + 8 + seat.rest.w;
        const high = seat.column ? seat.plate.h + 4 + seat.rest.h : seat.plate.h;
        expect(wide + 2 * seat.pad).toBeLessThanOrEqual(box.w + 0.5);
        expect(high + 2 * seat.pad).toBeLessThanOrEqual(box.h + 0.5);
        expect(seat.rest.w).toBeGreaterThanOrEqual(56);
        expect(seat.rest.h).toBeGreaterThanOrEqual(38);
      }
    });

    it('keeps a full hand within its columns', () => {
      const { hand } = boxesOf(w, h, players, true);
      for (const cards of [
        [],
        ['4a'],
        Array<string>(9).fill('4a'),
        Array<string>(24).fill('4a'),
        Array<string>(11).fill('1a'),
      ])
        for (const column of held(cards))
          for (const spot of columnOf(column, hand)) {
            const card = { x: spot.x, y: spot.y, w: hand.card, h: hand.card * 1.4 };
            expect(inside(card, hand.room), JSON.stringify(card)).toBe(true);
            expect(spot.y - hand.lift).toBeGreaterThanOrEqual(hand.head); // there is room to rise
          }
    });
  },
);

describe('own cards', () => {
  it('grow with the window', () => {
    for (const players of [3, 4, 5]) {
      expect(boxesOf(1920, 1080, players, true).hand.card).toBeGreaterThanOrEqual(100);
      expect(boxesOf(2560, 1440, players, true).hand.card).toBeGreaterThanOrEqual(130);
    }
  });

  it('lie in groups, and what is left over lower and apart', () => {
    const { hand } = boxesOf(1280, 800, 4, true);
    const spots = columnOf(held(['3a', '3a', '3a', '3a', '3a', '3a', '3a', '3a'])[4]!, hand);
    expect(spots.map(({ loose }) => loose)).toEqual([false, false, false, false, false, false, true, true]);
    const gaps = spots.slice(1).map((spot, i) => spot.x - spots[i]!.x);
    expect(gaps[2]!).toBeGreaterThan(gaps[1]! * 1.5);
    expect(gaps[5]!).toBeGreaterThan(gaps[2]!);
    expect(spots[6]!.y - spots[5]!.y).toBeGreaterThan(hand.low);
  });
});

describe('the ring', () => {
  it('goes clockwise from the top, around the deck', () => {
    const { rows, deck } = ringOf({ x: 10, y: 20, w: 600, h: 300 });
    const side = rows.map((row) => [Math.sign(row.x - deck.x), Math.sign(row.y - deck.y)]);
    expect(side).toEqual([[0, -1], [1, -1], [1, 0], [1, 1], [0, 1], [-1, 1], [-1, 0], [-1, -1]]); // prettier-ignore
    expect(nextPlace(8, 1)).toBe(1);
    expect(nextPlace(1, -1)).toBe(8);
  });

  it('keeps equal cards together, and all within the room', () => {
    const lying = spread(['2a', '1a', '2a'], 300, 50);
    expect(lying.map((each) => each.card)).toEqual(['1a', '2a', '2a']);
    expect(lying.map((each) => each.last)).toEqual([true, false, true]);
    const many = spread(['1a', '1b', '2a', '2b', '3a', '3b', '4a', '4a', '4a', '3b', '3b'], 96, 30);
    expect(many[0]!.x).toBeCloseTo(0);
    expect(many.at(-1)!.x + 30).toBeCloseTo(96);
    expect(spread(['4a'], 100, 40)[0]!.x).toBe(30); // in the middle
    expect(spread([], 100, 40)).toEqual([]);
  });

  it('marks the new card as the front one of its colour', () => {
    expect(spread(['2a', '2a', '3a'], 300, 40, ['2a']).map((each) => each.fresh)).toEqual([
      false,
      true,
      false,
    ]);
  });

  it('finds the cards that have come', () => {
    const before = [['4a', '1a'], ['2a'], ['3a']];
    const after = [['4a'], ['2a', '2a'], ['3a']];
    expect(freshCards(before, after)).toEqual([['4a'], ['2a'], []]);
    expect(freshCards([], [['1a'], ['2a']])).toEqual([['1a'], ['2a']]);
  });
});

describe('piles', () => {
  const lay = (colour: string, groups: number): Lay => ({
    colour,
    groups,
    cards: Array<string>(groups * Number(colour[0])).fill(colour),
  });

  it('show every lay, and the top one open', () => {
    const pile = pileOf([lay('1a', 1), lay('4a', 1), lay('3a', 1)], 120, 70);
    expect(pile.cards.map(({ card, top }) => card + (top ? '!' : ''))).toEqual([
      '1a',
      '4a',
      '3a!',
      '3a!',
      '3a!',
    ]);
    expect(pileOf([], 120, 70).wide).toBe(pileOf([], 120, 70).card);
  });

  it('stay within their room', () => {
    const lays = ['1a', '1b', '2a', '2b', '3a', '3b', '4a', '1a'].map((colour) => lay(colour, 2));
    for (const [w, h] of [
      [26, 36],
      [60, 40],
      [150, 90],
      [300, 200],
    ] as const) {
      const pile = pileOf(lays, w, h);
      expect(pile.wide).toBeLessThanOrEqual(w + 0.01);
      expect(pile.card * 1.4).toBeLessThanOrEqual(h);
    }
  });

  it('count colours in as few lines as can be read', () => {
    expect(tallyOf(7, 300, 60, 44)).toEqual({ columns: 7, card: 38 });
    expect(tallyOf(7, 100, 80, 44).columns).toBe(4);
    expect(tallyOf(0, 100, 80, 44).columns).toBe(1);
  });
});
