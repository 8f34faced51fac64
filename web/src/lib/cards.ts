// What the page needs to know about cards to draw and sort them. Nothing here decides what is legal.
export const LINKO_VALUES = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12', '13', 'X'];
export const BLOCCO_COLOURS = ['1a', '1b', '2a', '2b', '3a', '3b', '4a'];

export const isBlocco = (card: string) => BLOCCO_COLOURS.includes(card);

const ORDER = new Map([...LINKO_VALUES, ...BLOCCO_COLOURS].map((card, place) => [card, place]));

export function sorted(cards: readonly string[]): string[] {
  return [...cards].sort((a, b) => (ORDER.get(a) ?? 99) - (ORDER.get(b) ?? 99));
}

export interface Group {
  card: string;
  count: number;
}

// Equal cards together, in order.
export function grouped(cards: readonly string[]): Group[] {
  const found: Group[] = [];
  for (const card of sorted(cards)) {
    const last = found[found.length - 1];
    if (last?.card === card) last.count += 1;
    else found.push({ card, count: 1 });
  }
  return found;
}

// The chosen cards as the text of a Linko play: number cards, then jokers.
export function playText(chosen: Record<string, number>): string {
  const cards: string[] = [];
  for (const value of LINKO_VALUES) for (let i = 0; i < (chosen[value] ?? 0); i += 1) cards.push(value);
  return cards.length ? `play ${cards.join(' ')}` : '';
}

export function countsOf(cards: readonly string[]): Record<string, number> {
  const found: Record<string, number> = {};
  for (const card of cards) found[card] = (found[card] ?? 0) + 1;
  return found;
}

// Whether some legal action begins with the chosen cards: what may still be added.
export function extendable(chosen: Record<string, number>, legal: readonly string[]): boolean {
  return legal.some((action) => {
    if (!action.startsWith('play ')) return false;
    const counts = countsOf(action.slice(5).split(' '));
    return Object.entries(chosen).every(([card, count]) => count <= (counts[card] ?? 0));
  });
}
