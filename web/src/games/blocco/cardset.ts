// Blocco wherever its cards are shown.
import type { CardSet } from '../game';
import Card from './Card.svelte';
import { sorted } from './cards';
import { cardsInWords } from './words';

export const cardset: CardSet = {
  name: 'blocco',
  Card,
  samples: ['1a', '2b', '2a', '3b', '3a', '4a'],
  // Cards that fill the rows lie in the order of their places.
  sorted: (cards, kind) => (kind === 'fills' ? [...cards] : sorted(cards)),
  words: cardsInWords,
};
