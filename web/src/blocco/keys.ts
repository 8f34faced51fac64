// What a key means at the table. Rows, colours, the own pile and players to pick are elements with a `data-item`.
import { BLOCCO_COLOURS } from '../lib/cards';
import type { Choice } from './choice';
import { nextPlace } from './layout';

export type Wish =
  | { kind: 'row'; place: number }
  | { kind: 'score' }
  | { kind: 'step'; by: 1 | -1 }
  | { kind: 'clear' }
  | { kind: 'do' }
  | { kind: 'focus'; element: HTMLElement };

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
  const colours = BLOCCO_COLOURS.map((colour) => `colour:${colour}`);
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

export function keyed(event: KeyboardEvent, root: HTMLElement, choice: Choice | null): Wish | null {
  const target = event.target as HTMLElement;
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return null;
  if (target.closest('input, textarea, select, [contenteditable], dialog, [popover]')) return null;
  if (document.querySelector('dialog[open], [popover]:popover-open')) return null; // Escape closes those first
  const inside = root.contains(target);
  if (!inside && target.closest('button, a, summary, [tabindex]:not(main)')) return null; // other parts have their own keys
  const item = (element: Element | null | undefined) => element?.getAttribute('data-item') ?? '';
  const find = (name: string) => (name ? root.querySelector<HTMLElement>(`[data-item="${name}"]`) : null);
  if (/^[1-8]$/.test(event.key)) return { kind: 'row', place: Number(event.key) };
  switch (event.key) {
    case 's':
    case 'S':
      return { kind: 'score' };
    case '+':
    case '=':
      return { kind: 'step', by: 1 };
    case '-':
    case '−':
      return { kind: 'step', by: -1 };
    case 'Escape':
      return { kind: 'clear' };
    case 'Enter': {
      // On anything but the chosen element, a key press is a click there.
      const here = target.closest('button, [data-item]');
      return choice && !event.repeat && (!here || item(here) === itemOf(choice)) ? { kind: 'do' } : null;
    }
    case 'ArrowLeft':
    case 'ArrowRight':
    case 'ArrowUp':
    case 'ArrowDown': {
      const picks = [...root.querySelectorAll('[data-item^="from:"]')].map(item);
      const element = towards(item(target.closest('[data-item]')), event.key, picks)
        .map(find)
        .find(Boolean);
      return element ? { kind: 'focus', element } : null;
    }
    default:
      return null;
  }
}
