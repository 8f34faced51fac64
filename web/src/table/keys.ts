// What a key may mean: as it is labelled, or else by its place on the keyboard, for layouts and input methods that
// give other letters (AZERTY, Korean).
export function namesOf(event: Pick<KeyboardEvent, 'key' | 'code'>): string[] {
  const found = [event.key.toLowerCase()];
  const place = /^(?:Digit|Numpad|Key)([0-9A-Z])$/.exec(event.code)?.[1]?.toLowerCase();
  if (place && place !== found[0]) found.push(place);
  return found;
}

// The first meaning that is known.
export function keyed<T>(
  event: Pick<KeyboardEvent, 'key' | 'code'>,
  known: Readonly<Record<string, T>>,
): T | null {
  for (const name of namesOf(event)) if (name in known) return known[name] ?? null;
  return null;
}

// Keys belong to the table unless something else has the focus or lies above it.
export function forTable(event: KeyboardEvent): boolean {
  const at = event.target as HTMLElement;
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return false;
  if (at.closest('input, textarea, select, [contenteditable], dialog, [popover]')) return false;
  return !document.querySelector('dialog[open], [popover]:popover-open');
}
