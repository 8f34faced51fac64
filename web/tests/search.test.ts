import { describe, expect, it } from 'vitest';
import { found, matches } from '../src/lib/search';

describe('looking for a rule', () => {
  it('minds neither capitals nor accents', () => {
    expect(matches('Für jede Karte', 'FUR')).toBe(true);
    expect(matches('Dżokery i złodzieje', 'dzokery zlodzieje')).toBe(true);
    expect(matches('가로채기', '가로')).toBe(true);
  });
  it('wants all words, in any order', () => {
    expect(matches('Take or leave', 'leave take')).toBe(true);
    expect(matches('Take or leave', 'leave draw')).toBe(false);
    expect(matches('Take or leave', '  ')).toBe(true);
  });
  it('finds where they stand', () => {
    expect(found('Für die Fürsten', 'fur')).toEqual([
      [0, 3],
      [8, 11],
    ]);
    expect(found('Jokers', 'joker s')).toEqual([
      [0, 5],
      [5, 6],
    ]);
    expect(found('nothing', 'x')).toEqual([]);
    expect(found('Fu\u0308r', 'fur')).toEqual([[0, 4]]);
  });
});
