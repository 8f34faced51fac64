// Sorting and counting cards. The order is the game's own; nothing here decides what is legal.
export interface Group {
  card: string;
  count: number;
}

export interface Ordered {
  sorted: (cards: readonly string[]) => string[];
  grouped: (cards: readonly string[]) => Group[]; // equal cards together, in order
}

export function ordered(order: readonly string[]): Ordered {
  const places = new Map(order.map((card, place) => [card, place]));
  const sorted = (cards: readonly string[]) =>
    [...cards].sort((a, b) => (places.get(a) ?? 99) - (places.get(b) ?? 99));
  const grouped = (cards: readonly string[]) => {
    const found: Group[] = [];
    for (const card of sorted(cards)) {
      const last = found[found.length - 1];
      if (last?.card === card) last.count += 1;
      else found.push({ card, count: 1 });
    }
    return found;
  };
  return { sorted, grouped };
}

export function countsOf(cards: readonly string[]): Record<string, number> {
  const found: Record<string, number> = {};
  for (const card of cards) found[card] = (found[card] ?? 0) + 1;
  return found;
}
