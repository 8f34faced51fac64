// Blocco on the page: what `games/game.ts` asks of a game.
import type { GamePage } from '../game';
import { deal, flights, striking } from './flights';
import How from './How.svelte';
import type { Private, Public } from './protocol';
import { SHORTCUTS } from './shortcuts';
import Table from './Table.svelte';

const page: GamePage = {
  Table: Table as GamePage['Table'],
  How,
  flights: (events, before, _, seat) => flights(events, before as Public, seat),
  deal: (after) => deal(after as Public),
  shortcuts: SHORTCUTS,
  notable: new Set(['scores']),
  unseen: { gives: 'gives unseen' },
  sounds: { takes: 'draw', blocks: 'play', scores: 'score', gives: 'give', 'gives unseen': 'give' },
  striking,
  irreversible: (action) => action === 'score' || action.startsWith('give'),
  turn: (table, seat, around) => {
    const found = table as Public;
    return {
      ...found,
      givers: found.givers.map(seat),
      receiver: seat(found.receiver),
      players: around(found.players),
    } as Public;
  },
  // What the seat has given away up to the step.
  own: (hand, steps, side, step) =>
    ({
      seat: 0,
      hand,
      legal: [],
      why: [],
      given: steps
        .slice(0, step + 1)
        .flatMap((each) => each.events)
        .flatMap((event) => (event.kind === 'gives' && event.seat === side ? event.cards : [])),
    }) as Private,
};

export default page;
