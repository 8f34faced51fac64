// What somebody has chosen on this device.
import { isLanguage, preferred, type Language } from './i18n.svelte';

export interface Choices {
  language: Language;
  theme: 'system' | 'light' | 'dark';
  speed: 'off' | 'fast' | 'normal' | 'slow'; // how quickly cards move
  volume: number; // of sounds, 0 to 100
  notify: boolean; // when it is one's turn and the page is hidden
  confirm: boolean; // ask before what cannot be taken back
  game: string;
  edition: Record<string, string>;
  players: Record<string, number>;
  bot: string; // the opponent in *Play now* and for empty seats
  pace: 'instant' | 'fast' | 'normal' | 'slow'; // how quickly bots act
  welcomed: boolean;
  guided: boolean; // a guided game was begun, or is not wanted: it is no longer offered
}

const KEY = 'lynxden';

export function defaults(languages: readonly string[]): Choices {
  return {
    language: preferred(languages),
    theme: 'system',
    speed: 'normal',
    volume: 60,
    notify: false,
    confirm: false,
    game: '', // the first that the server offers
    edition: {},
    players: {},
    bot: 'hunter',
    pace: 'normal',
    welcomed: false,
    guided: false,
  };
}

// Whatever was stored, as far as it still makes sense.
export function read(text: string | null, languages: readonly string[]): Choices {
  const found = defaults(languages);
  try {
    const stored = JSON.parse(text ?? '{}') as Partial<Choices> & { sounds?: boolean };
    if (stored.sounds === false) found.volume = 0; // as it was once kept
    for (const key of Object.keys(found) as (keyof Choices)[]) {
      if (typeof stored[key] === typeof found[key]) Object.assign(found, { [key]: stored[key] });
    }
  } catch {
    // unreadable: the defaults
  }
  if (!isLanguage(found.language)) found.language = preferred(languages);
  return found;
}

function stored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null; // a browser that keeps nothing
  }
}

export const settings = $state(read(stored(), typeof navigator === 'undefined' ? [] : navigator.languages));

// Nobody has said hello on this device before this visit.
export const firstVisit = !settings.welcomed;

export function save(): void {
  try {
    localStorage.setItem(KEY, JSON.stringify(settings));
  } catch {
    // kept for this visit only
  }
}

const DURATIONS = { off: 0, fast: 220, normal: 420, slow: 800 };

// Milliseconds that a card takes from one place to another.
export function moveTime(): number {
  if (typeof matchMedia !== 'undefined' && matchMedia('(prefers-reduced-motion: reduce)').matches) return 0;
  return DURATIONS[settings.speed];
}

export function applyTheme(): void {
  const root = document.documentElement;
  if (settings.theme === 'system') root.removeAttribute('data-theme');
  else root.setAttribute('data-theme', settings.theme);
}
