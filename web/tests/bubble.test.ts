import { describe, expect, it } from 'vitest';
import { arrowOf, placeOf } from '../src/table/bubble';
import type { Box, Size } from '../src/table/layout';

const inside = (box: Box, table: Size) =>
  box.x >= 0 && box.y >= 0 && box.x + box.w <= table.w && box.y + box.h <= table.h;
const apart = (a: Box, b: Box) =>
  a.x + a.w <= b.x || b.x + b.w <= a.x || a.y + a.h <= b.y || b.y + b.h <= a.y;

describe('the words of the guide', () => {
  const tables: Size[] = [
    { w: 360, h: 594 },
    { w: 640, h: 362 },
    { w: 844, h: 352 },
    { w: 1090, h: 604 },
    { w: 1536, h: 1028 },
  ];
  it.each(tables)('never cover what they are about, on $w × $h', (table) => {
    const bubble = { w: Math.min(350, table.w - 12), h: 110 };
    for (let i = 0; i <= 8; i++)
      for (let j = 0; j <= 8; j++) {
        const target = { x: ((table.w - 70) * i) / 8, y: ((table.h - 90) * j) / 8, w: 70, h: 90 };
        const place = placeOf(bubble, table, [target], []);
        expect(inside(place, table)).toBe(true);
        expect(apart(place, target)).toBe(true);
        const arrow = arrowOf(place, target);
        expect(arrow).not.toBeNull();
        expect(Math.hypot(arrow!.x2 - arrow!.x1, arrow!.y2 - arrow!.y1)).toBeLessThan(table.w);
      }
  });
  it('lie over what matters least', () => {
    const table = { w: 400, h: 600 };
    const target = { x: 150, y: 250, w: 100, h: 100 };
    const above = { x: 0, y: 0, w: 400, h: 240, weight: 5 };
    expect(placeOf({ w: 300, h: 100 }, table, [target], [above]).y).toBeGreaterThan(target.y);
    const below = { x: 0, y: 360, w: 400, h: 240, weight: 5 };
    expect(placeOf({ w: 300, h: 100 }, table, [target], [below]).y).toBeLessThan(target.y);
  });
  it('have a place though there is nothing to point at', () => {
    expect(inside(placeOf({ w: 300, h: 100 }, { w: 360, h: 500 }, [], []), { w: 360, h: 500 })).toBe(true);
  });
});
