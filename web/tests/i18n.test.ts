import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { format, LANGUAGES, localeFor, preferred } from '../src/lib/i18n.svelte';
import { listOf, shownName } from '../src/lib/names';

const SOURCE = join(import.meta.dirname, '../src');
type Catalogue = Record<string, string | Record<string, string>>;

const read = (path: string): Catalogue => JSON.parse(readFileSync(path, 'utf8')) as Catalogue;

// The common words, and those that every game brings along.
function catalogue(language: string): Catalogue {
  const folder = join(SOURCE, 'locales', language);
  const common = readdirSync(folder).filter((name) => name.endsWith('.json'));
  const games = readdirSync(join(SOURCE, 'games'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  );
  return Object.assign(
    {},
    ...common.map((name) => read(join(folder, name))),
    ...games.map(({ name }) => read(join(SOURCE, 'games', name, 'locales', `${language}.json`))),
  ) as Catalogue;
}

function sources(folder = SOURCE): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'locales' ? [] : sources(path);
    return /\.(svelte|ts)$/.test(entry.name) ? [readFileSync(path, 'utf8')] : [];
  });
}

// Keys that are put together, as `${game}.event.${kind}`: what they can be.
function putTogether(text: string): RegExp[] {
  const whole = [...text.matchAll(/`((?:[a-z-]+|\.|\$\{[^`{}]*\})+)`/g)].map((found) => found[1]!);
  const begun = [...text.matchAll(/`((?:[a-z-]+\.)+)\$\{/g)].map((found) => `${found[1]!}\${}`);
  return [...whole, ...begun]
    .filter((each) => /[a-z]\.|\.[a-z]/.test(each.replace(/\$\{[^}]*\}/g, '$')) && each.includes('${'))
    .map((each) => new RegExp(`^${each.replaceAll('.', '\\.').replace(/\$\{[^}]*\}/g, '.+')}$`));
}

const english = catalogue('en');
const code = sources().join('\n');
const names = (text: string | Record<string, string>) =>
  new Set(JSON.stringify(text).match(/\{\w+\}/g) ?? []);

describe('the catalogues', () => {
  it.each(Object.keys(LANGUAGES))('%s has every key and no other', (language) => {
    expect(Object.keys(catalogue(language)).sort()).toEqual(Object.keys(english).sort());
  });

  it.each(Object.keys(LANGUAGES))(
    '%s has the plural forms of its language, and fills in the same names',
    (language) => {
      // French and Italian have a form of their own for millions, which nobody has in hand.
      const forms = new Intl.PluralRules(language)
        .resolvedOptions()
        .pluralCategories.filter((form) => form !== 'many' || language === 'pl');
      for (const [key, text] of Object.entries(catalogue(language))) {
        if (!(key in english)) continue; // said above
        expect([...names(text)].sort(), key).toEqual([...names(english[key]!)].sort());
        if (typeof english[key] !== 'string') expect(typeof text, key).not.toBe('string');
        if (typeof text !== 'string') expect(Object.keys(text).sort(), key).toEqual([...forms].sort());
        for (const each of typeof text === 'string' ? [text] : Object.values(text))
          if (key !== 'list.next') expect(each, key).toBe(each.trim());
      }
    },
  );

  it('hold no key that nothing uses', () => {
    const patterns = putTogether(code);
    const unused = Object.keys(english).filter(
      (key) => !code.includes(`'${key}'`) && !patterns.some((pattern) => pattern.test(key)),
    );
    expect(unused).toEqual([]);
  });

  it('hold every key that is used', () => {
    const used = [...code.matchAll(/\bt\(\s*'([^']+)'/g)].map((found) => found[1]!);
    expect(used.filter((key) => !(key in english))).toEqual([]);
    expect(used.length).toBeGreaterThan(100);
  });
});

describe('words', () => {
  it('take the plural form of the number', () => {
    const forms = { one: '{count} card', other: '{count} cards' };
    expect(format(forms, { count: 1 }, new Intl.PluralRules('en'))).toBe('1 card');
    expect(format(forms, { count: 1200 }, new Intl.PluralRules('en'))).toBe('1,200 cards');
    const polish = {
      one: '{count} karta',
      few: '{count} karty',
      many: '{count} kart',
      other: '{count} karty',
    };
    expect([1, 3, 5].map((count) => format(polish, { count }, new Intl.PluralRules('pl')))).toEqual([
      '1 karta',
      '3 karty',
      '5 kart',
    ]);
  });
  it('leave unknown names alone', () => {
    expect(format('Hello {name}', {}, new Intl.PluralRules('en'))).toBe('Hello {name}');
  });
  it('have dates and numbers as the reader writes them', () => {
    expect(localeFor('en', ['de', 'en-US', 'en-GB'])).toBe('en-US');
    expect(localeFor('en', ['de-CH', 'en'])).toBe('en-GB');
    expect(localeFor('de', ['fr', 'de-CH'])).toBe('de-CH');
    expect(localeFor('ko', [])).toBe('ko');
  });
  it('list names as the language does', () => {
    expect(listOf(['Ann', 'Ben', 'Cleo'])).toBe('Ann, Ben and Cleo');
  });
  it('name those who have no name of their own', () => {
    expect(shownName('Guest ab3F')).toBe('Guest ab3F');
    expect(shownName('Greedy 2', true)).toBe('Greedy 2');
    expect(shownName('Anna')).toBe('Anna');
  });
  it('come in the first language of the browser that we speak', () => {
    expect(preferred(['pt-BR', 'pl-PL', 'en'])).toBe('pl');
    expect(preferred(['xx'])).toBe('en');
  });
});
