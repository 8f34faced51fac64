// The time that is left, in as few signs as say it.
import { currentLocale } from '../lib/i18n.svelte';
import { duration } from '../lib/setup';

export function clockText(seconds: number): string {
  if (seconds >= 3600) return duration((Math.round(seconds / 360) / 10) * 3600, currentLocale());
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
