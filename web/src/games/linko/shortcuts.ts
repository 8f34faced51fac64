// What the keyboard does at a table of Linko, for the sheet of shortcuts. The texts follow the language.
import type { Shortcut } from '../game';
import { t } from './words';

export const SHORTCUTS: readonly Shortcut[] = [
  { keys: '1 – 9, 0, Q, W, E, X', get text() { return t('linko.key.value'); } },
  { keys: '← → ↑ ↓', get text() { return t('linko.key.arrows'); } },
  { get keys() { return t('key.enter'); }, get text() { return t('linko.key.play'); } },
  { get keys() { return t('key.esc'); }, get text() { return t('linko.key.clear'); } },
  { keys: 'T L R D P', get text() { return t('linko.key.decide'); } },
  { keys: '1 – 6, D', get text() { return t('linko.key.draw'); } },
]; // prettier-ignore
