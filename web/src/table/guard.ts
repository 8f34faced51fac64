// Nothing is played by accident: a press counts only if it was meant for the picture that is to be seen.
// A press that began before the picture came to rest, that moved away, or that was held down long is no click.
import type { Attachment } from 'svelte/attachments';

const SWIPE = 12; // pixels
const LONG = 900; // milliseconds
const APART = 500; // presses that follow each other faster belong together
const HARMLESS = new Set(['Tab', 'Shift', 'Escape', 'ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown']);

// `ready` says whether the picture has come to rest.
export function guarded(ready: () => boolean): Attachment<HTMLElement> {
  return (node) => {
    let press: { x: number; y: number; at: number; good: boolean } | null = null;
    // When the last press came that was too early. One that follows it closely belongs to the same drumming.
    let early = -Infinity;
    const meant = (event: Event) => {
      const good = ready() && event.timeStamp - early > APART;
      if (!good) early = event.timeStamp;
      return good;
    };
    const down = (event: PointerEvent) => {
      press = {
        x: event.clientX,
        y: event.clientY,
        at: event.timeStamp,
        good: meant(event) && event.isPrimary,
      };
    };
    const move = (event: PointerEvent) => {
      if (press && Math.hypot(event.clientX - press.x, event.clientY - press.y) > SWIPE) press.good = false;
    };
    const cancel = () => {
      if (press) press.good = false;
    };
    const click = (event: MouseEvent) => {
      // Keys and screen readers click without a pointer.
      const good =
        event.detail === 0
          ? ready()
          : press !== null && press.good && event.timeStamp - press.at < LONG && ready();
      press = null;
      if (!good) stop(event);
    };
    const key = (event: KeyboardEvent) => {
      if (HARMLESS.has(event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (event.repeat || !meant(event)) stop(event);
    };
    const menu = (event: Event) => event.preventDefault(); // a long press asks for nothing here
    node.addEventListener('pointerdown', down, true);
    node.addEventListener('click', click, true);
    node.addEventListener('contextmenu', menu);
    addEventListener('pointermove', move, { capture: true, passive: true });
    addEventListener('pointercancel', cancel, true);
    addEventListener('keydown', key, true);
    return () => {
      node.removeEventListener('pointerdown', down, true);
      node.removeEventListener('click', click, true);
      node.removeEventListener('contextmenu', menu);
      removeEventListener('pointermove', move, true);
      removeEventListener('pointercancel', cancel, true);
      removeEventListener('keydown', key, true);
    };
    function stop(event: Event): void {
      const at = event.target as Element | null;
      // Other parts of the page, and fields for text, are none of the table's business.
      if (event instanceof KeyboardEvent && at?.closest('input, textarea, select, dialog, aside, header'))
        return;
      event.preventDefault();
      event.stopImmediatePropagation();
    }
  };
}
