// Blocco on the page: what `games/game.ts` asks of a game.
import type { GamePage } from '../game';
import { deal, flights, striking } from './flights';
import { guide } from './guide';
import How from './How.svelte';
import type { Public } from './protocol';
import { SHORTCUTS } from './shortcuts';
import Table from './Table.svelte';

const page: GamePage = {
  Table: Table as GamePage['Table'],
  How,
  guide,
  flights: (events, before, _, seat) => flights(events, before as Public, seat),
  deal: (after) => deal(after as Public),
  shortcuts: SHORTCUTS,
  notable: new Set(['scores']),
  sounds: { takes: 'draw', blocks: 'play', scores: 'score', gives: 'give', 'gives unseen': 'give' },
  striking,
  irreversible: (action) => action === 'score' || action.startsWith('give'),
};

export default page;
