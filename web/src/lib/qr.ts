// QR codes: bytes only, versions 1 to 10, error level M. Enough for the links that people pass on.
// What is drawn follows ISO/IEC 18004; rows of true for dark modules, without the quiet zone.
export type Modules = boolean[][];

// For versions 1 to 10 at level M: all codewords, those for correction in each block, and blocks.
const SIZES: readonly (readonly [total: number, correction: number, blocks: number])[] = [
  [26, 10, 1],
  [44, 16, 1],
  [70, 26, 1],
  [100, 18, 2],
  [134, 24, 2],
  [172, 16, 4],
  [196, 18, 4],
  [242, 22, 4],
  [292, 22, 5],
  [346, 26, 5],
];
const ALIGNMENT: readonly (readonly number[])[] = [
  [],
  [6, 18],
  [6, 22],
  [6, 26],
  [6, 30],
  [6, 34],
  [6, 22, 38],
  [6, 24, 42],
  [6, 26, 46],
  [6, 28, 50],
];
const MASKS: readonly ((row: number, column: number) => boolean)[] = [
  (r, c) => (r + c) % 2 === 0,
  (r) => r % 2 === 0,
  (_, c) => c % 3 === 0,
  (r, c) => (r + c) % 3 === 0,
  (r, c) => ((r >> 1) + Math.floor(c / 3)) % 2 === 0,
  (r, c) => ((r * c) % 2) + ((r * c) % 3) === 0,
  (r, c) => (((r * c) % 2) + ((r * c) % 3)) % 2 === 0,
  (r, c) => (((r + c) % 2) + ((r * c) % 3)) % 2 === 0,
];

const lengthBits = (version: number) => (version < 10 ? 8 : 16);
const dataSize = (version: number) => {
  const [total, correction, blocks] = SIZES[version - 1]!;
  return total - correction * blocks;
};

export function versionFor(bytes: number): number {
  for (let version = 1; version <= SIZES.length; version += 1) {
    if (4 + lengthBits(version) + 8 * bytes <= 8 * dataSize(version)) return version;
  }
  throw new RangeError(`${bytes} bytes are too many for a QR code of version 10`);
}

// --- Arithmetic in the field of 256 elements ----------------------------------------------------------------

const EXP = new Uint8Array(512);
const LOG = new Uint8Array(256);
for (let power = 0, value = 1; power < 255; power += 1) {
  EXP[power] = EXP[power + 255] = value;
  LOG[value] = power;
  value = (value << 1) ^ (value & 0x80 ? 0x11d : 0);
}
const times = (a: number, b: number) => (a && b ? EXP[LOG[a]! + LOG[b]!]! : 0);

// The generator polynomial of a degree, without its leading 1.
function generator(degree: number): number[] {
  let found = [1];
  for (let i = 0; i < degree; i += 1) {
    const next = [...found, 0];
    found.forEach((factor, place) => (next[place + 1]! ^= times(factor, EXP[i]!)));
    found = next;
  }
  return found.slice(1);
}

function correctionOf(data: readonly number[], degree: number): number[] {
  const factors = generator(degree);
  const rest = new Array<number>(degree).fill(0);
  for (const byte of data) {
    const lead = byte ^ rest.shift()!;
    rest.push(0);
    factors.forEach((factor, place) => (rest[place]! ^= times(factor, lead)));
  }
  return rest;
}

// --- From text to codewords ---------------------------------------------------------------------------------

function dataWords(bytes: Uint8Array, version: number): number[] {
  const bits: number[] = [];
  const put = (value: number, count: number) => {
    for (let i = count - 1; i >= 0; i -= 1) bits.push((value >> i) & 1);
  };
  put(0b0100, 4);
  put(bytes.length, lengthBits(version));
  for (const byte of bytes) put(byte, 8);
  const size = dataSize(version);
  put(0, Math.min(4, 8 * size - bits.length));
  put(0, -bits.length & 7);
  const words: number[] = [];
  for (let i = 0; i < bits.length; i += 8)
    words.push(bits.slice(i, i + 8).reduce((word, bit) => word * 2 + bit, 0));
  for (let fill = 0xec; words.length < size; fill ^= 0xec ^ 0x11) words.push(fill);
  return words;
}

// Data and correction of all blocks, interleaved; the later blocks may hold one word more.
function codewords(data: readonly number[], version: number): number[] {
  const [, correction, count] = SIZES[version - 1]!;
  const short = Math.floor(data.length / count);
  const long = data.length % count;
  const blocks: number[][] = [];
  for (let i = 0, from = 0; i < count; i += 1) {
    const size = short + (i >= count - long ? 1 : 0);
    blocks.push(data.slice(from, (from += size)));
  }
  const checks = blocks.map((block) => correctionOf(block, correction));
  const weave = (parts: number[][], size: number) =>
    Array.from({ length: size }, (_, i) =>
      parts.flatMap((part) => (i < part.length ? [part[i]!] : [])),
    ).flat();
  return [...weave(blocks, short + 1), ...weave(checks, correction)];
}

// --- From codewords to modules ------------------------------------------------------------------------------

// The remainder of a division in the field of two elements, for format and version.
function remainder(value: number, divisor: number): number {
  const width = 31 - Math.clz32(divisor);
  let rest = value << width;
  while (rest && 31 - Math.clz32(rest) >= width) rest ^= divisor << (31 - Math.clz32(rest) - width);
  return rest;
}

class Drawing {
  readonly size: number;
  readonly dark: boolean[][];
  private readonly fixed: boolean[][]; // no place for data

  constructor(private readonly version: number) {
    this.size = 17 + 4 * version;
    const empty = () => Array.from({ length: this.size }, () => new Array<boolean>(this.size).fill(false));
    this.dark = empty();
    this.fixed = empty();
    this.patterns();
  }

  private set(row: number, column: number, dark: boolean): void {
    this.dark[row]![column] = dark;
    this.fixed[row]![column] = true;
  }

  private patterns(): void {
    const last = this.size - 1;
    for (let i = 0; i < this.size; i += 1) {
      this.set(6, i, i % 2 === 0);
      this.set(i, 6, i % 2 === 0);
    }
    for (const [row, column] of [
      [3, 3],
      [3, last - 3],
      [last - 3, 3],
    ] as const) {
      for (let r = -4; r <= 4; r += 1) {
        for (let c = -4; c <= 4; c += 1) {
          const ring = Math.max(Math.abs(r), Math.abs(c));
          const inside = row + r >= 0 && row + r <= last && column + c >= 0 && column + c <= last;
          if (inside) this.set(row + r, column + c, ring !== 2 && ring !== 4);
        }
      }
    }
    const places = ALIGNMENT[this.version - 1]!;
    const end = places[places.length - 1];
    for (const row of places) {
      for (const column of places) {
        if ((row === 6 && (column === 6 || column === end)) || (row === end && column === 6)) continue;
        for (let r = -2; r <= 2; r += 1) {
          for (let c = -2; c <= 2; c += 1)
            this.set(row + r, column + c, Math.max(Math.abs(r), Math.abs(c)) !== 1);
        }
      }
    }
    this.format(0); // keeps the places
    if (this.version >= 7) {
      const bits = (this.version << 12) | remainder(this.version, 0x1f25);
      for (let i = 0; i < 18; i += 1) {
        const dark = ((bits >> i) & 1) === 1;
        const [near, far] = [Math.floor(i / 3), last - 10 + (i % 3)];
        this.set(near, far, dark);
        this.set(far, near, dark);
      }
    }
  }

  format(mask: number): void {
    const data = mask; // level M is 00
    const bits = ((data << 10) | remainder(data, 0x537)) ^ 0x5412;
    const bit = (i: number) => ((bits >> i) & 1) === 1;
    const last = this.size - 1;
    for (let i = 0; i < 15; i += 1) {
      // down the left finder's right side, and along the lower ones
      const row = i < 6 ? i : i < 8 ? i + 1 : this.size - 15 + i;
      this.set(row, 8, bit(i));
      const column = i < 8 ? last - i : i === 8 ? 7 : 14 - i;
      this.set(8, column, bit(i));
    }
    this.set(this.size - 8, 8, true);
  }

  // Two columns at a time from the right, upwards and downwards in turn.
  data(words: readonly number[]): void {
    let next = 0;
    let up = true;
    for (let right = this.size - 1; right > 0; right -= 2) {
      if (right === 6) right = 5;
      for (let i = 0; i < this.size; i += 1) {
        const row = up ? this.size - 1 - i : i;
        for (const column of [right, right - 1]) {
          if (this.fixed[row]![column]) continue;
          this.dark[row]![column] = (((words[next >> 3] ?? 0) >> (7 - (next & 7))) & 1) === 1;
          next += 1;
        }
      }
      up = !up;
    }
  }

  mask(number: number): void {
    const flips = MASKS[number]!;
    for (let r = 0; r < this.size; r += 1) {
      for (let c = 0; c < this.size; c += 1) {
        if (!this.fixed[r]![c] && flips(r, c)) this.dark[r]![c] = !this.dark[r]![c];
      }
    }
  }
}

// How hard a code is to read, by the four rules of the standard.
export function penalty(dark: Modules): number {
  const size = dark.length;
  let found = 0;
  const lines = [...dark, ...Array.from({ length: size }, (_, c) => dark.map((row) => row[c]!))];
  for (const line of lines) {
    for (let start = 0; start < size;) {
      let end = start;
      while (end < size && line[end] === line[start]) end += 1;
      if (end - start >= 5) found += end - start - 2;
      start = end;
    }
    const text = line.map(Number).join('');
    for (let i = 0; i + 11 <= size; i += 1) {
      const part = text.slice(i, i + 11);
      if (part === '10111010000' || part === '00001011101') found += 40;
    }
  }
  let count = 0;
  for (let r = 0; r < size; r += 1) {
    for (let c = 0; c < size; c += 1) {
      const here = dark[r]![c]!;
      if (here) count += 1;
      const below = dark[r + 1];
      if (below && c + 1 < size && dark[r]![c + 1] === here && below[c] === here && below[c + 1] === here)
        found += 3;
    }
  }
  return found + 10 * Math.floor(Math.abs((100 * count) / (size * size) - 50) / 5);
}

// `mask` is chosen by the rules of the standard if it is left out.
export function encode(text: string, mask?: number): Modules {
  const bytes = new TextEncoder().encode(text);
  const version = versionFor(bytes.length);
  const drawing = new Drawing(version);
  drawing.data(codewords(dataWords(bytes, version), version));
  const tries = mask === undefined ? MASKS.map((_, i) => i) : [mask];
  let best: { cost: number; dark: Modules } | null = null;
  for (const number of tries) {
    drawing.mask(number);
    drawing.format(number);
    const cost = penalty(drawing.dark);
    if (best === null || cost < best.cost) best = { cost, dark: drawing.dark.map((row) => [...row]) };
    drawing.mask(number); // twice is not at all
  }
  return best!.dark;
}

// All dark modules as one path, a unit to a module.
export function pathOf(modules: Modules): string {
  const parts: string[] = [];
  modules.forEach((row, r) => {
    for (let c = 0; c < row.length;) {
      let end = c;
      while (row[end]) end += 1;
      if (end > c) parts.push(`M${c} ${r}h${end - c}v1h-${end - c}z`);
      c = end + 1;
    }
  });
  return parts.join('');
}
