// Which cards fly where for the events of Linko.
import type { Flight } from '../../lib/fly';
import type { GameEvent, GamePublic } from '../../lib/protocol';
import type { Public } from './protocol';

const same = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((card, i) => card === b[i]);

// Where on the display a drawn card or group lay.
export function slotOf(cards: readonly string[], display: readonly string[][]): number {
  return display.findIndex((slot) => same(slot, cards));
}

// The slots that were filled up: empty or other than before.
export function filled(
  before: readonly string[][],
  after: readonly string[][],
  cards: readonly string[],
): number[] {
  const found: number[] = [];
  const left = [...cards];
  after.forEach((slot, place) => {
    const card = slot[0];
    if (card === undefined || left.length === 0) return;
    if (!same(slot, before[place] ?? []) && left.includes(card)) {
      left.splice(left.indexOf(card), 1);
      found.push(place);
    }
  });
  return found;
}

export function flights(
  events: readonly GameEvent[],
  before: Public,
  after: Public,
  me: number | null,
): Flight[] {
  // The viewer's own cards lie by their values; everybody else's hand is one place.
  const hand = (seat: number | null, card = '') =>
    seat === me && card ? [`own:${card}`, `hand:${seat}`] : [`hand:${seat}`];
  const found: Flight[] = [];
  let order = 0;
  for (const event of events) {
    const { kind, seat, other, cards } = event;
    const add = (flight: Omit<Flight, 'order'>) => found.push({ ...flight, order });
    const count = found.length;
    if (kind === 'plays') add({ cards, from: hand(seat, cards[0]), to: [`top:${seat}`] });
    else if (kind === 'takes') add({ cards, from: [`top:${other}`], to: hand(seat, cards[0]), heavy: true });
    else if (kind === 'reclaims') add({ cards, from: [`top:${seat}`], to: hand(seat, cards[0]) });
    else if (kind === 'discards') add({ cards, from: [`top:${seat}`], to: ['discard'] });
    else if (kind === 'draws')
      add({ cards, from: [`slot:${slotOf(cards, before.display)}`, 'display'], to: hand(seat, cards[0]) });
    else if (kind === 'draws unseen') add({ cards: [''], from: ['deck'], to: hand(seat) });
    else if (kind === 'draws seen') add({ cards, from: ['deck'], to: hand(seat, cards[0]) });
    else if (kind === 'row')
      add({ cards, from: [`row:${cards[0]}`, 'row'], to: hand(seat, cards[0]), heavy: true });
    else if (kind === 'row refill') add({ cards, from: ['deck'], to: ['row'] });
    else if (kind === 'refill') {
      for (const place of filled(before.display, after.display, cards)) {
        add({ cards: after.display[place]?.slice(0, 1) ?? [], from: ['deck'], to: [`slot:${place}`] });
      }
    } else if (kind === 'group') {
      const place = after.display.findIndex((slot, i) => slot.length > (before.display[i]?.length ?? 0));
      add({ cards, from: ['deck'], to: [`slot:${place}`, 'display'] });
    }
    if (found.length > count) order += 1;
  }
  return found;
}

// A snatch is the moment of the game: the set that is snatched is marked.
export function striking(event: GameEvent): string | null {
  if (event.kind === 'snatches') return `top:${event.other}`;
  return event.kind === 'row' ? `row:${event.cards[0]}` : null;
}

// The first cards go round.
export function deal(after: GamePublic): Flight[] {
  return after.players.map((_, seat) => ({
    cards: ['', '', '', ''],
    from: ['deck'],
    to: [`hand:${seat}`],
    order: seat * 0.6,
  }));
}
