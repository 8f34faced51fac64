// Linko wherever its cards are shown.
import type { CardSet } from '../game';
import Card from './Card.svelte';
import { sorted } from './cards';
import { spoken } from './words';

export const cardset: CardSet = {
  name: 'linko',
  Card,
  samples: ['3', '7', '7', '9', '13', 'X'],
  first: 'basic',
  sorted,
  words: spoken,
};
