// The focus is never lost: when the element that had it goes away, as a button whose question was answered does, the
// action bar gets it. From there the Tab key goes on to what is asked now; Enter does nothing there.
import type { Attachment } from 'svelte/attachments';

export const keepsFocus: Attachment<HTMLElement> = (node) => {
  let last: HTMLElement | null = null;
  const focused = (event: FocusEvent) => (last = event.target as HTMLElement);
  const left = (event: FocusEvent) => {
    if (event.relatedTarget) last = null; // it went elsewhere by itself
  };
  const watcher = new MutationObserver(() => {
    if (!last || last.isConnected || document.activeElement !== document.body) return;
    last = null;
    node.querySelector<HTMLElement>('[data-bar]')?.focus({ preventScroll: true });
  });
  node.addEventListener('focusin', focused);
  node.addEventListener('focusout', left);
  watcher.observe(node, { childList: true, subtree: true });
  return () => {
    watcher.disconnect();
    node.removeEventListener('focusin', focused);
    node.removeEventListener('focusout', left);
  };
};
