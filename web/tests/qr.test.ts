import { encode } from 'uqr';
import { describe, expect, it } from 'vitest';
import { codeOf } from '../src/ui/qr';

const LINK = 'http://192.168.1.20:8060/t/7Gk2mQ9xTzPa#i=Vb81LsYw3nRe0DfKjHqC5tXo';

// The dark modules that a path draws.
function drawn(path: string, size: number): boolean[][] {
  const found = Array.from({ length: size }, () => Array<boolean>(size).fill(false));
  for (const [, x, y, width] of path.matchAll(/M(\d+) (\d+)h(\d+)v1h-\d+z/g))
    found[Number(y)]!.fill(true, Number(x), Number(x) + Number(width));
  return found;
}

describe('the code of an invitation', () => {
  it('is small enough for the camera of a phone', () => {
    const { size } = codeOf(LINK)!;
    expect(size).toBeGreaterThanOrEqual(29);
    expect(size).toBeLessThanOrEqual(41);
    expect((size - 17) % 4).toBe(0); // as every code
  });
  it('is drawn as it is made, without a border of its own', () => {
    const { size, path } = codeOf(LINK)!;
    expect(drawn(path, size)).toEqual(encode(LINK, { ecc: 'M', border: 0 }).data);
    for (const [x, y] of [
      [0, 0],
      [size - 7, 0],
      [0, size - 7],
    ] as const)
      expect(drawn(path, size)[y]!.slice(x, x + 7)).toEqual(Array(7).fill(true)); // the corners
  });
  it('does not exist for what is too long', () => {
    expect(codeOf('x'.repeat(5000))).toBeNull();
  });
});
