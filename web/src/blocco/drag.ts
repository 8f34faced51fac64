// Dragging with a mouse or a pen, as another way to choose and do. Fingers tap: a drag there would keep the page
// from scrolling.
import type { Attachment } from 'svelte/attachments';

export interface Drag {
  enabled: boolean;
  target: string; // the `data-drop` that takes it
  onstart: () => void;
  onend: (dropped: boolean) => void;
}

const FAR = 8; // pixels: less is a click

export function draggable(options: () => Drag): Attachment<HTMLElement> {
  return (node) => {
    let stop = () => {};
    const down = (event: PointerEvent) => {
      const drag = options();
      if (!drag.enabled || event.button !== 0 || event.pointerType === 'touch') return;
      const box = node.getBoundingClientRect();
      const start = { x: event.clientX, y: event.clientY };
      let ghost: HTMLElement | null = null;
      let over: Element | null = null;
      const under = (at: PointerEvent) =>
        document.elementFromPoint(at.clientX, at.clientY)?.closest(`[data-drop~="${drag.target}"]`) ?? null;
      const move = (at: PointerEvent) => {
        const [x, y] = [at.clientX - start.x, at.clientY - start.y];
        if (!ghost) {
          if (Math.hypot(x, y) < FAR) return;
          ghost = node.cloneNode(true) as HTMLElement;
          ghost.removeAttribute('id');
          ghost.removeAttribute('data-place');
          for (const place of ghost.querySelectorAll('[data-place]')) place.removeAttribute('data-place');
          ghost.setAttribute('aria-hidden', 'true');
          ghost.inert = true;
          Object.assign(ghost.style, {
            position: 'fixed', left: `${box.left}px`, top: `${box.top}px`, width: `${box.width}px`, height: `${box.height}px`,
            margin: '0', zIndex: '60', pointerEvents: 'none', opacity: '0.85', transition: 'none',
          }); // prettier-ignore
          // Outside of the table, whose frame would be the measure of `fixed` otherwise.
          ghost.style.setProperty('--card-width', getComputedStyle(node).getPropertyValue('--card-width'));
          document.body.append(ghost);
          drag.onstart();
        }
        ghost.style.transform = `translate(${x}px, ${y}px)`;
        const now = under(at);
        if (now !== over) {
          over?.classList.remove('drop-here');
          now?.classList.add('drop-here');
          over = now;
        }
      };
      const up = (at: PointerEvent) => {
        const moved = ghost !== null;
        const dropped = moved && at.type === 'pointerup' && under(at) !== null;
        stop();
        if (!moved) return;
        // A click follows where the mouse was let go over the same element; it is part of the drag.
        const swallow = (click: Event) => click.stopPropagation();
        node.addEventListener('click', swallow, { capture: true, once: true });
        setTimeout(() => node.removeEventListener('click', swallow, { capture: true }));
        drag.onend(dropped);
      };
      stop = () => {
        ghost?.remove();
        over?.classList.remove('drop-here');
        removeEventListener('pointermove', move);
        removeEventListener('pointerup', up);
        removeEventListener('pointercancel', up);
      };
      addEventListener('pointermove', move);
      addEventListener('pointerup', up);
      addEventListener('pointercancel', up);
    };
    node.addEventListener('pointerdown', down);
    return () => {
      stop();
      node.removeEventListener('pointerdown', down);
    };
  };
}
