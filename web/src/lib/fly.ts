// Moves cards over the page: from the place where they were to the place where they are now.
// Places are elements with a `data-place`; whatever lies at the end of a flight is hidden until it arrives.
import { mount, tick, unmount } from 'svelte';
import type { CardComponent } from '../games/game';

export interface Flight {
  cards: string[]; // '' for a face-down card
  from: string[]; // places, the best first
  to: string[];
  order: number; // flights of a later order start later
  heavy?: boolean; // it is lifted and carried, not slid
}

interface Place {
  x: number;
  y: number;
  width: number;
}

const STAGGER = 0.55; // of a flight's time

export function find(places: readonly string[]): HTMLElement | null {
  for (const place of places) {
    const found = document.querySelector<HTMLElement>(`[data-place="${place}"]`);
    if (found && found.getClientRects().length) return found;
  }
  return null;
}

// Where a card would lie in the middle of an element, as wide as a card there is.
function placeOf(element: HTMLElement): Place {
  const rect = element.getBoundingClientRect();
  const card = element.querySelector('.card')?.getBoundingClientRect();
  return { x: rect.left + rect.width / 2, y: rect.top + rect.height / 2, width: card?.width || 44 };
}

export async function fly(
  flights: readonly Flight[],
  Card: CardComponent,
  time: number,
  apply: () => Promise<void>,
): Promise<void> {
  if (time === 0 || flights.length === 0 || document.hidden) {
    await apply();
    return;
  }
  const startOf = (flight: Flight): Place | null => {
    const element = find(flight.from);
    return element ? placeOf(element) : null;
  };
  const before = flights.map(startOf);
  await apply();
  await tick();
  // What was not there before, as the deck of a table that begins, is there now.
  const starts = flights.map((flight, number) => before[number] ?? startOf(flight));
  const layer = document.createElement('div');
  layer.className = 'flights';
  layer.setAttribute('aria-hidden', 'true');
  document.body.append(layer);
  const mounted: ReturnType<typeof mount>[] = [];
  const done = flights.map((flight, number) => {
    const start = starts[number];
    const target = find(flight.to);
    if (!start || !target) return Promise.resolve();
    const end = placeOf(target);
    const hide = target.hasAttribute('data-arrive');
    if (hide) target.style.opacity = '0';
    const shown = flight.cards.slice(0, 8);
    const moves = shown.map((card, place) => {
      const holder = document.createElement('div');
      holder.className = 'flying';
      holder.style.setProperty('--card-width', `${start.width}px`);
      layer.append(holder);
      mounted.push(mount(Card, { target: holder, props: { card } }));
      const spread = (place - (shown.length - 1) / 2) * 0.35;
      const at = (spot: Place, scale: number, up = 0) =>
        `translate(${spot.x - start.width / 2 + spread * spot.width}px, ${spot.y - start.width * 0.7 - up}px) scale(${scale})`;
      const grown = end.width / start.width;
      const middle = {
        x: (start.x + end.x) / 2,
        y: (start.y + end.y) / 2,
        width: (start.width + end.width) / 2,
      };
      const frames = flight.heavy
        ? [
            { transform: at(start, 1), easing: 'ease-out' },
            { transform: at(start, 1.18, 14), offset: 0.28, easing: 'ease-in-out' },
            { transform: at(middle, ((1 + grown) / 2) * 1.12, 18), offset: 0.64, easing: 'ease-in' },
            { transform: at(end, grown) },
          ]
        : [{ transform: at(start, 1) }, { transform: at(end, grown) }];
      const animation = holder.animate(frames, {
        duration: flight.heavy ? time * 1.5 : time,
        delay: flight.order * time * STAGGER + place * 25,
        easing: flight.heavy ? 'linear' : 'cubic-bezier(.3,.05,.2,1)',
        fill: 'both',
      });
      return animation.finished;
    });
    return Promise.all(moves).then(() => {
      if (hide) target.style.opacity = '';
    });
  });
  await Promise.allSettled(done);
  for (const each of mounted) void unmount(each);
  layer.remove();
}
