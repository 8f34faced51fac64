// Which cards move where when something happens at a Blocco table.
import type { Flight } from '../../lib/fly';
import type { GameEvent } from '../../lib/protocol';
import { grouped } from './cards';
import { PLACES } from './layout';
import type { Public } from './protocol';

const MOST_BACKS = 4; // a pile that is turned over needs no more to be seen moving
const DEALING = 0.5; // the deck's cards follow each other this closely

const backs = (count: number): string[] => Array<string>(Math.min(count, MOST_BACKS)).fill('');

// The viewer's own cards lie by colours; everybody else's hand is one place.
function handPlaces(who: number, card: string, seat: number | null): string[] {
  return who === seat ? [`own:${card}`, `hand:${who}`] : [`hand:${who}`];
}

function ofEvent(event: GameEvent, order: number, before: Public, seat: number | null): Flight[] {
  const who = event.seat ?? before.active;
  switch (event.kind) {
    case 'takes': {
      const from = [`row:${event.place}`];
      if (who !== seat) return [{ cards: event.cards, from, to: [`hand:${who}`], order }];
      return grouped(event.cards).map(({ card, count }) => ({
        cards: Array<string>(count).fill(card),
        from,
        to: [`came:${card}`, ...handPlaces(who, card, seat)],
        order,
      }));
    }
    case 'fills':
      return event.cards.map((card, i) => {
        const place = ((event.place - 1 + i) % PLACES) + 1;
        // The new card alone is hidden until it arrives, not the row that lies there already.
        return {
          cards: [card],
          from: ['deck'],
          to: [`new:${place}`, `row:${place}`],
          order: order + i * DEALING,
        };
      });
    case 'blocks':
      return [
        {
          cards: event.cards,
          from: handPlaces(who, event.cards[0] ?? '', seat),
          to: [`top:${who}`, `pile:${who}`],
          order,
        },
      ];
    case 'scores':
      return [{ cards: backs(event.count), from: [`pile:${who}`], to: [`score:${who}`], order }];
    case 'gives':
      return grouped(event.cards).map(({ card, count }) => ({
        cards: Array<string>(count).fill(card),
        from: handPlaces(who, card, seat),
        to: [`score:${event.other}`],
        order,
      }));
    case 'gives unseen':
      return [{ cards: backs(event.count), from: [`hand:${who}`], to: [`score:${event.other}`], order }];
    default:
      return [];
  }
}

export function flights(events: readonly GameEvent[], before: Public, seat: number | null): Flight[] {
  const found: Flight[] = [];
  let order = 0;
  for (const event of events) {
    const flying = ofEvent(event, order, before, seat);
    if (flying.length) order += 1;
    found.push(...flying);
  }
  return found;
}

// Two cards for everybody, then the first card of each row.
export function deal(after: Public): Flight[] {
  const hands = after.players.map((player, seat) => ({
    cards: backs(player.hand_size),
    from: ['deck'],
    to: [`hand:${seat}`],
    order: seat * DEALING,
  }));
  const start = hands.length * DEALING;
  const rows = after.rows.map((cards, i) => ({
    cards,
    from: ['deck'],
    to: [`new:${i + 1}`, `row:${i + 1}`],
    order: start + i * DEALING * 0.6,
  }));
  return [...hands, ...rows];
}

// Scoring is the moment of the game: the pile that is turned over is marked.
export const striking = (event: GameEvent): string | null =>
  event.kind === 'scores' ? `pile:${event.seat}` : null;
