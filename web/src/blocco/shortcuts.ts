// What the keyboard does at a Blocco table, for the sheet of shortcuts. The texts follow the language.
import { t } from '../lib/i18n.svelte';

export interface Shortcut {
  readonly keys: string;
  readonly text: string;
}

export const SHORTCUTS: readonly Shortcut[] = [
  { keys: '1 – 8', get text() { return t('blocco.keys.rows'); } },
  { keys: '← →', get text() { return t('blocco.keys.along'); } },
  { keys: '↑ ↓', get text() { return t('blocco.keys.across'); } },
  { keys: '+ −', get text() { return t('blocco.keys.groups'); } },
  { keys: 'S', get text() { return t('blocco.keys.score'); } },
  { keys: 'Enter', get text() { return t('blocco.keys.do'); } },
  { keys: 'Esc', get text() { return t('blocco.keys.clear'); } },
]; // prettier-ignore
