// Linko on the page: what `games/game.ts` asks of a game.
import type { GamePage } from '../game';
import { deal, flights, striking } from './flights';
import { guide } from './guide';
import How from './How.svelte';
import type { Public } from './protocol';
import { SHORTCUTS } from './shortcuts';
import Table from './Table.svelte';
import { t } from './words';

const FINAL = new Set(['discard', 'leave']);

const page: GamePage = {
  Table: Table as GamePage['Table'],
  How,
  guide,
  flights: (events, before, after, seat) => flights(events, before as Public, after as Public, seat),
  deal,
  shortcuts: SHORTCUTS,
  notable: new Set(['snatches', 'row']),
  sounds: {
    plays: 'play',
    snatches: 'snatch',
    row: 'snatch',
    takes: 'draw',
    reclaims: 'draw',
    draws: 'draw',
    'draws seen': 'draw',
    'draws unseen': 'draw',
  },
  striking,
  notice: (table) => {
    const left = (table as Public).turns_left;
    return left === null ? '' : t('linko.ending', { count: left });
  },
  irreversible: (action) => FINAL.has(action),
};

export default page;
