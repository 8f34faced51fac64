// What the keyboard does at a Blocco table, for the sheet of shortcuts. The texts follow the language.
import type { Shortcut } from '../game';
import { t } from './words';

export const SHORTCUTS: readonly Shortcut[] = [
  { keys: '1 – 8', get text() { return t('blocco.keys.rows'); } },
  { keys: 'Q W E R T Y U', get text() { return t('blocco.keys.colours'); } },
  { keys: '← →', get text() { return t('blocco.keys.along'); } },
  { keys: '↑ ↓', get text() { return t('blocco.keys.across'); } },
  { keys: '+ −', get text() { return t('blocco.keys.groups'); } },
  { keys: 'S', get text() { return t('blocco.keys.score'); } },
  { get keys() { return t('key.enter'); }, get text() { return t('blocco.keys.do'); } },
  { get keys() { return t('key.esc'); }, get text() { return t('blocco.keys.clear'); } },
]; // prettier-ignore
