import { describe, expect, it } from 'vitest';
import { VALUES } from '../src/games/linko/cards';
import { needs } from '../src/games/linko/layout';
import { fanOf, LEAST_STRIP, type Fan } from '../src/table/fan';
import { frameOf } from '../src/table/layout';
import { tableIn, WINDOWS } from './windows';

// As many as a hand ever holds: thirty cards, of every value.
const LARGE = VALUES.map((card, i) => ({ card, count: i < 2 ? 3 : 2 }));
const WIDEST = { portrait: 0.2, landscape: 0.12, wide: 0.085 };

function fits(fan: Fan, width: number, height: number): void {
  for (const { x, y, w } of fan.groups) {
    expect(x).toBeGreaterThanOrEqual(0);
    expect(x + w).toBeLessThanOrEqual(width + 0.5);
    expect(y).toBeGreaterThanOrEqual(0);
    expect(y + fan.card * 1.4).toBeLessThanOrEqual(height + 1);
  }
}

describe('a hand', () => {
  it.each(WINDOWS)('of thirty cards can be read and touched at %i × %i', (width, height) => {
    const size = tableIn(width, height);
    for (const players of [2, 3, 4, 5]) {
      const { hand, shape } = frameOf(size, needs(players, false));
      const fan = fanOf(LARGE, hand.w, hand.h, size.w * WIDEST[shape]);
      expect(fan.groups.map(({ card }) => card)).toEqual(VALUES);
      for (const { card, w } of fan.groups)
        expect(w, `${card} of ${players}`).toBeGreaterThanOrEqual(LEAST_STRIP);
      fits(fan, hand.w, hand.h);
    }
  });

  it('of few cards lies open, without overlapping', () => {
    const fan = fanOf(
      [
        { card: '1', count: 1 },
        { card: '2', count: 1 },
      ],
      600,
      200,
      100,
    );
    expect(fan.rows).toBe(1);
    expect(fan.groups[1]!.x - fan.groups[0]!.x).toBeGreaterThan(fan.card);
    fits(fan, 600, 200);
  });

  it('stands in the middle and leaves room above for chosen cards', () => {
    const fan = fanOf([{ card: '7', count: 3 }], 500, 180, 90);
    const [group] = fan.groups;
    expect(group!.x).toBeCloseTo(500 - group!.x - group!.w, 0);
    expect(group!.y).toBeGreaterThanOrEqual(fan.lift);
  });

  it('may be empty', () => {
    expect(fanOf([], 300, 120, 60).groups).toEqual([]);
  });
});
