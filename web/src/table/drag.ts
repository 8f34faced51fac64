// Dragging with a mouse or a pen. It takes what a click there would choose, shows where that may be dropped, and is
// called off by Escape or by letting go elsewhere. On touch screens a finger that moves scrolls or does nothing.
import type { Attachment } from 'svelte/attachments';

export interface Drag {
  enabled: boolean;
  target: string; // the `data-drop` that takes it
  onstart: (event: PointerEvent) => void;
  onmove?: (x: number, y: number) => void; // how far it was moved; what is dragged is drawn by its owner
  onend: (dropped: boolean) => void;
}

const FAR = 8; // pixels: less is a click

export function draggable(options: () => Drag): Attachment<HTMLElement> {
  return (node) => {
    let stop = () => {};
    const down = (event: PointerEvent) => {
      const drag = options();
      if (!drag.enabled || event.button !== 0 || event.pointerType === 'touch') return;
      const start = { x: event.clientX, y: event.clientY };
      let dragging = false;
      let over: Element | null = null;
      const zones = () => [...document.querySelectorAll(`[data-drop~="${drag.target}"]`)];
      const under = (at: PointerEvent) =>
        document
          .elementsFromPoint(at.clientX, at.clientY)
          .map((each) => each.closest(`[data-drop~="${drag.target}"]`))
          .find(Boolean) ?? null;
      const move = (at: PointerEvent) => {
        const [x, y] = [at.clientX - start.x, at.clientY - start.y];
        if (!dragging) {
          if (Math.hypot(x, y) < FAR) return;
          dragging = true;
          drag.onstart(event);
          for (const zone of zones()) zone.classList.add('drop-may');
        }
        drag.onmove?.(x, y);
        const now = under(at);
        if (now !== over) {
          over?.classList.remove('drop-here');
          now?.classList.add('drop-here');
          over = now;
        }
      };
      const up = (at: PointerEvent) => end(at.type === 'pointerup' && under(at) !== null);
      const key = (at: KeyboardEvent) => {
        if (!dragging || at.key !== 'Escape') return;
        at.preventDefault();
        at.stopImmediatePropagation();
        end(false);
      };
      const end = (dropped: boolean) => {
        const moved = dragging;
        stop();
        if (moved) drag.onend(dropped);
      };
      stop = () => {
        for (const zone of zones()) zone.classList.remove('drop-may', 'drop-here');
        removeEventListener('pointermove', move);
        removeEventListener('pointerup', up);
        removeEventListener('pointercancel', up);
        removeEventListener('keydown', key, true);
      };
      addEventListener('pointermove', move);
      addEventListener('pointerup', up);
      addEventListener('pointercancel', up);
      addEventListener('keydown', key, true);
    };
    node.addEventListener('pointerdown', down);
    return () => {
      stop();
      node.removeEventListener('pointerdown', down);
    };
  };
}
