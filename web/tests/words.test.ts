// The server tells what happened and what cannot be by codes; the page has words for every one of them.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import common from '../src/locales/en';
import { tryT } from '../src/lib/i18n.svelte';

const ROOT = join(import.meta.dirname, '../..');
const games = readdirSync(join(ROOT, 'web/src/games'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

// The keys of a dictionary in the server's sources: `NAME = { "key": …, }`.
function keysOf(file: string, name: string): string[] {
  const text = readFileSync(join(ROOT, 'src/lynxden', file), 'utf8');
  const block = new RegExp(`^${name}\\b[^{]*\\{(.*?)^\\}`, 'ms').exec(text)?.[1] ?? '';
  return [...block.matchAll(/^\s{4}"([a-z -]+)":/gm)].map((found) => found[1]!);
}

describe.each(games)('%s', (game) => {
  const folder = `games/${game}`;
  it('has a sentence for every event', () => {
    const kinds = keysOf(`${folder}/events.py`, 'PHRASES');
    expect(kinds.length).toBeGreaterThan(5);
    expect(kinds.filter((kind) => tryT(`${game}.event.${kind.replaceAll(' ', '-')}`) === null)).toEqual([]);
  });
  it('has a sentence for every reason', () => {
    const codes = keysOf(`${folder}/why.py`, 'MEANINGS');
    expect(codes.length).toBeGreaterThan(3);
    const missing = codes.filter(
      (code) => (tryT(`${game}.why.${code}`) ?? tryT(`table.why.${code}`)) === null,
    );
    expect(missing).toEqual([]);
  });
  it('has a name, a line on the first page, and words for its marks', () => {
    const keys = [`game.${game}`, `home.tagline.${game}`, `how.goal.${game}`, `how.credit.${game}`];
    const marks = ['previous', 'next', 'key'].map((word) => `${game}.mark.${word}`);
    expect([...keys, ...marks].filter((key) => tryT(key) === null)).toEqual([]);
  });
});

describe('refusals', () => {
  it('have words for every code', () => {
    const source = readFileSync(join(ROOT, 'src/lynxden/server/errors.py'), 'utf8');
    const codes = [...source.matchAll(/^ {4}[A-Z_]+ = "([a-z-]+)"$/gm)].map((found) => found[1]!);
    expect(codes.length).toBeGreaterThan(15);
    expect([...codes, 'offline'].filter((code) => !(`error.${code}` in common))).toEqual([]);
  });
});
