// Moves cards over the page: from the place where they were to the place where they are now.
// Places are elements with a `data-place`; whatever lies at the end of a flight is hidden until it arrives.
import { mount, tick, unmount } from 'svelte';
import Card from '../ui/Card.svelte';

export interface Flight {
  cards: string[]; // '' for a face-down card
  from: string[]; // places, the best first
  to: string[];
  order: number; // flights of a later order start later
}

interface Box {
  x: number;
  y: number;
  width: number;
}

const STAGGER = 0.55; // of a flight's time

function find(places: string[]): HTMLElement | null {
  for (const place of places) {
    const found = document.querySelector<HTMLElement>(`[data-place="${place}"]`);
    if (found && found.getClientRects().length) return found;
  }
  return null;
}

// Where a card would lie in the middle of an element, not wider than a card there is.
function boxOf(element: HTMLElement): Box {
  const rect = element.getBoundingClientRect();
  const card = element.querySelector('.card')?.getBoundingClientRect();
  const width = Math.min(card?.width ?? 44, 90);
  return { x: rect.left + rect.width / 2, y: rect.top + rect.height / 2, width };
}

export async function fly(flights: Flight[], time: number, apply: () => Promise<void>): Promise<void> {
  if (time === 0 || flights.length === 0 || document.hidden) {
    await apply();
    return;
  }
  const starts = flights
    .map((flight) => find(flight.from))
    .map((element) => (element ? boxOf(element) : null));
  await apply();
  await tick();
  const layer = document.createElement('div');
  layer.className = 'flights';
  layer.setAttribute('aria-hidden', 'true');
  document.body.append(layer);
  const mounted: ReturnType<typeof mount>[] = [];
  const done = flights.map((flight, number) => {
    const start = starts[number];
    const target = find(flight.to);
    if (!start || !target) return Promise.resolve();
    const end = boxOf(target);
    const hide = target.hasAttribute('data-arrive');
    if (hide) target.style.opacity = '0';
    const moves = flight.cards.slice(0, 8).map((card, place) => {
      const holder = document.createElement('div');
      holder.className = 'flying';
      holder.style.setProperty('--card-width', `${start.width}px`);
      layer.append(holder);
      mounted.push(mount(Card, { target: holder, props: { card } }));
      const spread = (place - (Math.min(flight.cards.length, 8) - 1) / 2) * 0.35;
      const at = (box: Box, scale: number) =>
        `translate(${box.x - start.width / 2 + spread * box.width}px, ${box.y - start.width * 0.7}px) scale(${scale})`;
      const animation = holder.animate(
        [
          { transform: at(start, 1), opacity: 1 },
          { transform: at(end, end.width / start.width), opacity: 1 },
        ],
        {
          duration: time,
          delay: flight.order * time * STAGGER + place * 25,
          easing: 'cubic-bezier(.3,.05,.2,1)',
          fill: 'both',
        },
      );
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
