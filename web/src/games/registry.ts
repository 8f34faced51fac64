// The one place that names the games. A game is a folder; adding one means a line here.
import { cardset as blocco } from './blocco/cardset';
import type { CardSet, GamePage } from './game';
import { cardset as linko } from './linko/cardset';

interface Entry {
  cardset: CardSet;
  page: () => Promise<{ default: GamePage }>;
}

export const GAMES: Readonly<Record<string, Entry>> = {
  linko: { cardset: linko, page: () => import('./linko') },
  blocco: { cardset: blocco, page: () => import('./blocco') },
};

// A game that this page does not know (the server is newer) is drawn with the first one's cards.
export const FIRST_GAME = 'linko';
export const cardsetOf = (game: string): CardSet => (GAMES[game] ?? GAMES[FIRST_GAME]!).cardset;
