import { describe, expect, it } from 'vitest';
import { VALUES } from '../src/games/linko/cards';
import { needs, setsOf, supplyOf } from '../src/games/linko/layout';
import { fanOf } from '../src/table/fan';
import { boardOf, divide, frameOf, inARow, pageOf, shapeOf } from '../src/table/layout';
import { boxesOf, inside, overlap, tableIn, WINDOWS } from './windows';

const GAMES = [
  { players: 2, duel: false },
  { players: 3, duel: false },
  { players: 4, duel: false },
  { players: 5, duel: false },
  { players: 2, duel: true },
];
const CASES = WINDOWS.flatMap(([width, height]) => GAMES.map((game) => ({ width, height, ...game })));

describe('a table', () => {
  it.each(CASES)('fits $width × $height for $players (duel: $duel)', ({ width, height, players, duel }) => {
    const size = tableIn(width, height);
    for (const bar of [true, false]) {
      const frame = frameOf(size, needs(players, duel), bar);
      const boxes = boxesOf(frame);
      expect(frame.seats.length).toBe(players - 1);
      expect(frame.bar !== null).toBe(bar);
      for (const [name, box] of boxes) {
        expect(inside(box, size), `${name} ${JSON.stringify(box)} in ${JSON.stringify(size)}`).toBe(true);
        expect(Math.min(box.w, box.h), name).toBeGreaterThanOrEqual(40);
        for (const [other, second] of boxes)
          if (name < other) expect(overlap(box, second), `${name} over ${other}`).toBe(false);
      }
      // Most of the window is used, and no box is empty show.
      const used = boxes.reduce((sum, [, box]) => sum + box.w * box.h, 0);
      expect(used / (size.w * size.h)).toBeGreaterThan(0.45);
      expect(used).toBeLessThanOrEqual(size.w * size.h);
    }
  });

  it.each(CASES)('has its piles in the middle, $width × $height for $players (duel: $duel)', (each) => {
    const frame = frameOf(tableIn(each.width, each.height), needs(each.players, each.duel));
    const supply = supplyOf(frame.middle, each.duel);
    const piles = [supply.deck, ...supply.slots, supply.discard, ...(supply.row ? [supply.row] : [])];
    expect(supply.card).toBeGreaterThanOrEqual(24);
    piles.forEach((pile, i) => {
      const { x, y, w, h } = frame.middle;
      expect(inside({ ...pile, x: pile.x - x, y: pile.y - y }, { w, h }), `pile ${i}`).toBe(true);
      for (const other of piles.slice(i + 1)) expect(overlap(pile, other)).toBe(false);
    });
  });

  it('does not depend on anything but the window and the players', () => {
    const size = tableIn(1440, 900);
    expect(frameOf(size, needs(4, false))).toEqual(frameOf(size, needs(4, false)));
  });

  it.each([
    [1920, 1080, 100],
    [2560, 1440, 130],
  ])('has cards to be read from afar at %i × %i', (width, height, least) => {
    for (const { players, duel } of GAMES) {
      const size = tableIn(width, height);
      const { hand } = frameOf(size, needs(players, duel));
      const cards = VALUES.slice(0, 8).map((card) => ({ card, count: 1 }));
      expect(fanOf(cards, hand.w, hand.h, size.w * 0.085).card).toBeGreaterThanOrEqual(least);
    }
  });

  it('takes its shape from the window', () => {
    expect(shapeOf({ w: 360, h: 600 })).toBe('portrait');
    expect(shapeOf({ w: 844, h: 352 })).toBe('landscape');
    expect(shapeOf({ w: 1280, h: 700 })).toBe('wide');
    expect(pageOf(360, 640).panel).toBe(0);
    expect(pageOf(1920, 1080).panel).toBeGreaterThan(0);
  });
});

describe('heights', () => {
  const part = (least: number, share: number, most: number) => ({ least, share, most });
  const sum = (found: { h: number }[]) => found.reduce((all, each) => all + each.h, 0);

  it('are shared out by need, then by share', () => {
    const found = divide(420, [part(100, 1, 1000), part(100, 2, 1000)], 10, 0);
    expect(found.map(({ h }) => h)).toEqual([170, 240]);
    expect(found.map(({ y }) => y)).toEqual([0, 180]);
  });
  it('never exceed what a part can use; the gaps widen instead', () => {
    const found = divide(1000, [part(100, 1, 150), part(100, 1, 150)], 10, 10);
    expect(found.map(({ h }) => h)).toEqual([150, 150]);
    expect(found[1]!.y - found[0]!.y - 150).toBeGreaterThan(300);
    expect(found[1]!.y + 150).toBeLessThanOrEqual(990);
  });
  it('shrink alike where even the least does not fit', () => {
    const found = divide(110, [part(100, 1, 200), part(50, 1, 200)], 10, 5);
    expect(found.map(({ h }) => h)).toEqual([60, 30]);
    expect(sum(found)).toBeLessThanOrEqual(90);
  });
});

describe('plates in a row', () => {
  it('share the width, and stand in the middle if they need less', () => {
    expect(inARow({ x: 10, y: 0, w: 100, h: 20 }, 2, 10).map(({ x, w }) => [x, w])).toEqual([
      [10, 45],
      [65, 45],
    ]);
    expect(inARow({ x: 0, y: 0, w: 1000, h: 20 }, 1, 10)).toEqual([{ x: 270, y: 0, w: 460, h: 20 }]);
    expect(inARow({ x: 0, y: 0, w: 100, h: 20 }, 0, 10)).toEqual([]);
  });
});

describe('sets of a player', () => {
  it.each([
    [120, 50],
    [200, 90],
    [400, 160],
  ])('stay in a box of %i × %i, however many they are', (w, h) => {
    for (const count of [0, 1, 2, 5, 12, 20]) {
      const layers = Array.from({ length: count }, (_, i) => Array<string>((i % 6) + 1).fill('7'));
      const laid = setsOf(layers, w, h);
      const top = layers.at(-1)?.length ?? 1;
      expect(laid.card).toBeGreaterThan(0);
      expect(laid.left).toBeGreaterThanOrEqual(0);
      expect(laid.top + laid.card + laid.step * (top - 1)).toBeLessThanOrEqual(w + 1);
      expect(laid.shown).toBeLessThanOrEqual(Math.max(0, count - 1));
    }
  });
});

describe('a board for everybody', () => {
  it.each(WINDOWS.flatMap(([w, h]) => [2, 3, 4, 5].map((players) => ({ w, h, players }))))(
    'has room for all in $w × $h, $players players',
    ({ w, h, players }) => {
      const frame = boardOf({ w, h }, players, 0.4);
      const boxes = [...frame.seats, frame.middle];
      expect(frame.seats.length).toBe(players);
      for (const [i, box] of boxes.entries()) {
        expect(inside(box, { w, h })).toBe(true);
        for (const other of boxes.slice(i + 1)) expect(overlap(box, other)).toBe(false);
      }
      // Clockwise: above from left to right, below from right to left.
      const last = frame.seats.at(-1)!;
      expect(last.y).toBeGreaterThan(frame.middle.y);
      expect(frame.seats[0]!.y).toBeLessThan(frame.middle.y);
      if (players > 3) expect(last.x).toBeLessThan(frame.seats.at(-2)!.x);
    },
  );
});
