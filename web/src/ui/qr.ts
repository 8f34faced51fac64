// A text as a code for cameras, drawn as one path.
import { encode } from 'uqr';

export interface Code {
  size: number; // modules on a side
  path: string;
}

// Null for a text that is too long for any code.
export function codeOf(text: string): Code | null {
  try {
    const { data, size } = encode(text, { ecc: 'M', border: 0 });
    return { size, path: data.map(rowPath).join('') };
  } catch {
    return null;
  }
}

// Dark modules that touch are one bar: between two there would be hairlines.
function rowPath(row: readonly boolean[], y: number): string {
  let path = '';
  for (let x = 0; x < row.length; x += 1) {
    let end = x;
    while (row[end]) end += 1;
    if (end > x) path += `M${x} ${y}h${end - x}v1h-${end - x}z`;
    x = end;
  }
  return path;
}
