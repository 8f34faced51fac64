// A game is a folder. Nothing outside knows a game by its name, and no game knows another.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { describe, expect, it } from 'vitest';

const SOURCE = join(import.meta.dirname, '../src');
const GAMES = join(SOURCE, 'games');
const REGISTRY = join(GAMES, 'registry.ts');
const names = readdirSync(GAMES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

const files = readdirSync(SOURCE, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name));
const gameOf = (path: string): string | null =>
  names.find((name) => path.startsWith(join(GAMES, name) + sep)) ?? null;
const called = (path: string) => relative(SOURCE, path);

// A name is found whole or as a part of another word, as in `LinkoScene` or `linko.hand`.
function namesIn(text: string, allowed: string | null): string[] {
  return names.filter((name) => name !== allowed && new RegExp(name, 'i').test(text));
}

describe('the folders', () => {
  it('are there', () => {
    expect(names.length).toBeGreaterThan(1);
    expect(files.length).toBeGreaterThan(100);
  });

  it.each(names)('of %s has what every game has', (name) => {
    const found = files
      .filter((path) => gameOf(path) === name)
      .map((path) => relative(join(GAMES, name), path));
    expect(found).toEqual(
      expect.arrayContaining([
        'index.ts',
        'cardset.ts',
        'words.ts',
        'protocol.ts',
        'Table.svelte',
        'How.svelte',
        'Card.svelte',
      ]),
    );
  });
});

describe('outside its folder', () => {
  it('no game is named in code or styles', () => {
    const found = files
      .filter((path) => /\.(ts|svelte|css|html)$/.test(path) && path !== REGISTRY)
      .flatMap((path) =>
        readFileSync(path, 'utf8')
          .split('\n')
          .flatMap((line, i) =>
            namesIn(line, gameOf(path)).length ? [`${called(path)}:${i + 1} ${line.trim()}`] : [],
          ),
      );
    expect(found).toEqual([]);
  });

  it('no game is named by a file or by a key of the catalogues', () => {
    const found = files.flatMap((path) => {
      const game = gameOf(path);
      const inside = game ? relative(join(GAMES, game), path) : called(path);
      const keys = path.endsWith('.json')
        ? Object.keys(JSON.parse(readFileSync(path, 'utf8')) as object)
        : [];
      return [inside, ...keys]
        .filter((each) => namesIn(each, game).length)
        .map((each) => `${called(path)}: ${each}`);
    });
    expect(found).toEqual([]);
  });
});

describe('in its folder', () => {
  it.each(names)('%s has only keys that bear its name', (name) => {
    const keys = files
      .filter((path) => gameOf(path) === name && path.endsWith('.json'))
      .flatMap((path) => Object.keys(JSON.parse(readFileSync(path, 'utf8')) as object));
    // Cards and editions are called by their names wherever they are shown.
    const foreign = keys.filter((key) => !key.split('.').includes(name) && !/^(card|edition)\./.test(key));
    expect([...new Set(foreign)]).toEqual([]);
  });
});

describe('the catalogues', () => {
  it('have every key once', () => {
    const paths = files.filter(
      (path) => path.endsWith('en.json') || path.includes(join('locales', 'en', '')),
    );
    const keys = paths
      .filter((path) => path.endsWith('.json'))
      .flatMap((path) => Object.keys(JSON.parse(readFileSync(path, 'utf8')) as object));
    expect(keys.filter((key, i) => keys.indexOf(key) !== i)).toEqual([]);
  });
});

describe('imports', () => {
  it('lead into the folder of a game only from within, or from the registry', () => {
    const found = files
      .filter((path) => /\.(ts|svelte)$/.test(path) && path !== REGISTRY)
      .flatMap((path) =>
        [...readFileSync(path, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']*)'/g)]
          .map((match) => resolve(dirname(path), match[1]!))
          .filter((target) => {
            const game = gameOf(target) ?? gameOf(target + sep);
            return game !== null && game !== gameOf(path);
          })
          .map((target) => `${called(path)} imports ${called(target)}`),
      );
    expect(found).toEqual([]);
  });
});

describe('addresses', () => {
  it('are written in one place', () => {
    const literal = /['"`]\/(?:api|how|me|new|import|t|g|big)(?:[/'"`#?]|\$\{)|href="\/|\bgo\('\/|href=\{`\//;
    const found = files
      .filter((path) => /\.(ts|svelte)$/.test(path) && called(path) !== join('lib', 'paths.ts'))
      .flatMap((path) =>
        readFileSync(path, 'utf8')
          .split('\n')
          .flatMap((line, i) => (literal.test(line) ? [`${called(path)}:${i + 1} ${line.trim()}`] : [])),
      );
    expect(found).toEqual([]);
  });
});
