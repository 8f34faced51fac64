// The cards of Linko, for drawing and sorting them.
import { countsOf, ordered } from '../../lib/cards';

export const VALUES = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '11', '12', '13', 'X'];
export const { sorted, grouped } = ordered(VALUES);

// The chosen cards as the text of a play: number cards, then jokers.
export function playText(chosen: Record<string, number>): string {
  const cards: string[] = [];
  for (const value of VALUES) for (let i = 0; i < (chosen[value] ?? 0); i += 1) cards.push(value);
  return cards.length ? `play ${cards.join(' ')}` : '';
}

// Whether some legal action begins with the chosen cards: what may still be added.
export function extendable(chosen: Record<string, number>, legal: readonly string[]): boolean {
  return legal.some((action) => {
    if (!action.startsWith('play ')) return false;
    const counts = countsOf(action.slice(5).split(' '));
    return Object.entries(chosen).every(([card, count]) => count <= (counts[card] ?? 0));
  });
}

// The value of a set: its number, or X for jokers alone.
export const valueOf = (set: readonly string[]): string => set.find((card) => card !== 'X') ?? 'X';
