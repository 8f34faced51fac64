// The words of Linko, and why something cannot be chosen.
import { tryT, wordsWith } from '../../lib/i18n.svelte';
import type { Why } from '../../lib/protocol';
import { seatName, type Scene } from '../../lib/scene';
import type en from './locales/en.json';

export const t = wordsWith<keyof typeof en>();

export const cardName = (card: string): string => tryT(`card.${card}`) ?? card;

// Cards one by one, for screen readers.
export const spoken = (cards: readonly string[]): string => cards.map(cardName).join(' ');

export function whyText(why: Why | null, scene: Pick<Scene, 'seats'>): string {
  if (!why) return '';
  return (
    tryT(`linko.why.${why.code}`, { name: seatName(scene.seats, why.seat), count: why.count }) ??
    tryT(`table.why.${why.code}`, { name: seatName(scene.seats, why.seat) }) ??
    ''
  );
}
