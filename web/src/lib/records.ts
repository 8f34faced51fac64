// Records of games from elsewhere, as somebody brings them.
export interface Piece {
  line: number; // counted from 1, as editors do
  text: string;
}

// The records in a text: one to a line, or a single one that is spread over several lines.
export function piecesOf(text: string): Piece[] {
  const bare = text.replace(/^\ufeff/, '');
  const lines = bare
    .split(/\r\n|\n|\r/)
    .map((each, number) => ({ line: number + 1, text: each.trim() }))
    .filter((each) => each.text !== '');
  if (lines.length > 1 && !isObject(lines[0]!.text) && isObject(bare)) {
    return [{ line: lines[0]!.line, text: bare.trim() }];
  }
  return lines;
}

function isObject(text: string): boolean {
  return parsed(text) !== null;
}

// The record in a piece of text; null if it is not even an object. The server checks whether it is right.
export function parsed(text: string): Record<string, unknown> | null {
  try {
    const found: unknown = JSON.parse(text);
    return typeof found === 'object' && found !== null && !Array.isArray(found)
      ? (found as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

// Who plays in a record, as far as it says so in the usual form.
export function playersIn(record: Record<string, unknown>): string[] {
  const seats = record['seats'];
  return Array.isArray(seats) ? seats.filter((name) => typeof name === 'string') : [];
}
