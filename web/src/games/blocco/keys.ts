// What a key means at the table. Rows, colours, the own pile and players to pick are elements with a `data-item`.
import { forTable, keyed } from '../../table/keys';
import { COLOURS } from './cards';
import type { Choice } from './choice';
import { nextPlace } from './layout';

export type Wish =
  | { kind: 'item'; item: string }
  | { kind: 'step'; by: 1 | -1 }
  | { kind: 'clear' }
  | { kind: 'do' }
  | { kind: 'focus'; element: HTMLElement };

const LETTERS = ['q', 'w', 'e', 'r', 't', 'y', 'u']; // by their place on the keyboard, as the colours lie in the hand
const ITEMS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(['1', '2', '3', '4', '5', '6', '7', '8'].map((place) => [place, `row:${place}`])),
  ...Object.fromEntries(LETTERS.map((letter, i) => [letter, `colour:${COLOURS[i]}`])),
  s: 'pile',
};
const STEPS: Readonly<Record<string, 1 | -1>> = { '+': 1, '=': 1, '-': -1, '−': -1 };

// The element that a choice was made with.
export function itemOf(choice: Choice): string {
  switch (choice.kind) {
    case 'take':
      return `row:${choice.place}`;
    case 'block':
    case 'give':
      return `colour:${choice.colour}`;
    case 'score':
      return 'pile';
    case 'from':
      return `from:${choice.seat}`;
  }
}

// Where an arrow key leads: along rows or colours, or to the other of them; candidates, the best first.
export function towards(item: string, key: string, picks: readonly string[]): string[] {
  const [kind = '', which = ''] = item.split(':');
  const by = key === 'ArrowRight' ? 1 : -1;
  const sideways = key === 'ArrowLeft' || key === 'ArrowRight';
  const colours = COLOURS.map((colour) => `colour:${colour}`);
  if (kind === 'row') {
    if (sideways) return [`row:${nextPlace(Number(which), by)}`];
    return key === 'ArrowDown' ? ['pile', colours[0] ?? ''] : picks.slice(0, 1);
  }
  if (kind === 'colour' || kind === 'pile') {
    const line = ['pile', ...colours];
    if (sideways) {
      const at = line.indexOf(item);
      return [
        line[(at + by + line.length) % line.length] ?? '',
        line[(at + 2 * by + line.length) % line.length] ?? '',
      ];
    }
    return key === 'ArrowUp' ? ['row:5'] : [];
  }
  if (kind === 'from') {
    if (sideways) return [picks[(picks.indexOf(item) + by + picks.length) % picks.length] ?? ''];
    return key === 'ArrowDown' ? ['row:1'] : [];
  }
  return picks.length
    ? picks.slice(0, 1)
    : key === 'ArrowUp' || sideways
      ? ['row:1']
      : ['pile', colours[0] ?? ''];
}

export function wishOf(event: KeyboardEvent, root: HTMLElement, choice: Choice | null): Wish | null {
  if (!forTable(event)) return null;
  const target = event.target as HTMLElement;
  const step = STEPS[event.key];
  if (step) return { kind: 'step', by: step };
  const item = keyed(event, ITEMS);
  if (item) return { kind: 'item', item };
  if (event.key === 'Escape' || event.key === 'Backspace') return { kind: 'clear' };
  const nameOf = (element: Element | null) => element?.getAttribute('data-item') ?? '';
  if (event.key === 'Enter') {
    // On anything but the chosen element, a key press is a click there.
    const here = target.closest('button, a, [data-item]');
    return choice && (!here || nameOf(here) === itemOf(choice)) ? { kind: 'do' } : null;
  }
  if (!event.key.startsWith('Arrow')) return null;
  // Other parts of the page have arrow keys of their own.
  if (!root.parentElement?.contains(target) && target.closest('button, a, summary, [tabindex]:not(main)'))
    return null;
  const picks = [...root.querySelectorAll('[data-item^="from:"]')]
    .sort((a, b) =>
      (a.getAttribute('aria-disabled') ?? '').localeCompare(b.getAttribute('aria-disabled') ?? ''),
    )
    .map(nameOf);
  const find = (name: string) => (name ? root.querySelector<HTMLElement>(`[data-item="${name}"]`) : null);
  const element = towards(nameOf(target.closest('[data-item]')), event.key, picks)
    .map(find)
    .find(Boolean);
  return element ? { kind: 'focus', element } : null;
}
