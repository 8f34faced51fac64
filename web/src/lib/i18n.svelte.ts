// Words in six languages. A catalogue maps keys to texts with {names}; a text that depends on a number is an
// object of plural forms, chosen by the language's own rules.
import en, { type Key as CommonKey } from '../locales/en';

export const LANGUAGES = {
  en: 'English',
  de: 'Deutsch',
  fr: 'Français',
  it: 'Italiano',
  pl: 'Polski',
  ko: '한국어',
} as const;
export type Language = keyof typeof LANGUAGES;
type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };
export type Catalogue = Record<string, string | Forms>;
export type Key = CommonKey;
export type Values = Record<string, string | number>;

const loaders: Record<Language, () => Promise<{ default: Catalogue }>> = {
  en: async () => ({ default: en as Catalogue }),
  de: () => import('../locales/de') as Promise<{ default: Catalogue }>,
  fr: () => import('../locales/fr') as Promise<{ default: Catalogue }>,
  it: () => import('../locales/it') as Promise<{ default: Catalogue }>,
  pl: () => import('../locales/pl') as Promise<{ default: Catalogue }>,
  ko: () => import('../locales/ko') as Promise<{ default: Catalogue }>,
};

let catalogue = $state.raw<Catalogue>(en as Catalogue);
let language = $state<Language>('en');
let plurals = new Intl.PluralRules(localeFor('en'));

export function isLanguage(text: string): text is Language {
  return text in LANGUAGES;
}

// The first of the browser's languages that we speak.
export function preferred(languages: readonly string[]): Language {
  for (const each of languages) {
    const short = each.toLowerCase().split('-')[0] ?? '';
    if (isLanguage(short)) return short;
  }
  return 'en';
}

// A language with the reader's own way to write dates and numbers: `en-US` for an American, else British English.
export function localeFor(
  chosen: Language,
  wishes: readonly string[] = typeof navigator === 'undefined' ? [] : navigator.languages,
): string {
  const own = wishes.find((each) => preferred([each]) === chosen && each.toLowerCase().startsWith(chosen));
  return own && own.length > 2 ? own : chosen === 'en' ? 'en-GB' : chosen;
}

// False if the words could not be loaded: those that are shown stay, English at first.
export async function setLanguage(next: Language): Promise<boolean> {
  let found: Catalogue;
  try {
    found = (await loaders[next]()).default;
  } catch {
    return false;
  }
  plurals = new Intl.PluralRules(localeFor(next));
  catalogue = found;
  language = next;
  document.documentElement.lang = next;
  document.querySelector('meta[name=description]')?.setAttribute('content', t('app.description'));
  return true;
}

export function currentLanguage(): Language {
  return language;
}

// For dates, numbers and lists.
export function currentLocale(): string {
  return localeFor(language);
}

export function t(key: Key, values: Values = {}): string {
  return format(catalogue[key] ?? (en as Catalogue)[key] ?? key, values, plurals);
}

// For keys that are put together, as `edition.duel`.
export function tryT(key: string, values: Values = {}): string | null {
  const found = catalogue[key] ?? (en as Catalogue)[key];
  return found === undefined ? null : format(found, values, plurals);
}

// The words of a game: its folder has keys of its own, and may use the common ones.
export const wordsWith = <Own extends string>() =>
  t as unknown as (key: Own | Key, values?: Values) => string;

// A text in pieces: what stands in it, and the {names} to be filled in with more than words, as cards.
export function pieces(key: string, count = 0): { text: string; name: string }[] | null {
  const found = catalogue[key] ?? (en as Catalogue)[key];
  if (found === undefined) return null;
  return plain(found, count, plurals)
    .split(/(\{\w+\})/)
    .filter(Boolean)
    .map((part) =>
      /^\{\w+\}$/.test(part) ? { text: '', name: part.slice(1, -1) } : { text: part, name: '' },
    );
}

function plain(text: string | Forms, count: number, rules: Intl.PluralRules): string {
  return typeof text === 'string' ? text : (text[rules.select(count)] ?? text.other);
}

export function format(text: string | Forms, values: Values, rules: Intl.PluralRules): string {
  const count = values['count'];
  const chosen =
    typeof count === 'number' ? plain(text, count, rules) : typeof text === 'string' ? text : text.other;
  return chosen.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = values[name];
    if (value === undefined) return whole;
    return typeof value === 'number' ? value.toLocaleString(rules.resolvedOptions().locale) : value;
  });
}

export function when(at: number): string {
  return new Intl.DateTimeFormat(currentLocale(), { dateStyle: 'medium', timeStyle: 'short' }).format(at);
}
