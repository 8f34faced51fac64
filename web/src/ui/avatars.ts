// Who sits at the tables when nobody else does. The server draws from the same list, in this order.
export const BOT_NAMES = [
  'Bramble',
  'Tansy',
  'Moss',
  'Rowan',
  'Fern',
  'Otis',
  'Juniper',
  'Pike',
  'Sorrel',
  'Wren',
  'Basil',
  'Ember',
  'Flint',
  'Clover',
  'Rook',
  'Marlow',
] as const;

// A number that stays the same for a text, on every device and every visit.
export function hashOf(text: string): number {
  let hash = 7;
  for (const char of text) hash = (Math.imul(hash, 31) + (char.codePointAt(0) ?? 0)) >>> 0;
  return hash;
}

// The colour of somebody without a portrait: by who they are, so that it is the same in every language.
export function groundOf(who: string | number): string {
  return `oklch(0.5 0.095 ${((hashOf(String(who)) * 11) % 24) * 15})`;
}

export function faceOf(name: string): number {
  const known = (BOT_NAMES as readonly string[]).indexOf(name);
  return known < 0 ? hashOf(name) % BOT_NAMES.length : known;
}

export function initialOf(name: string): string {
  // Browsers of before 2024 may lack the segmenter: there a flag or a family loses its tail.
  const Segmenter = Intl.Segmenter as typeof Intl.Segmenter | undefined;
  const whole = name.trim();
  const first = Segmenter
    ? [...new Segmenter(undefined, { granularity: 'grapheme' }).segment(whole)][0]?.segment
    : [...whole][0];
  return (first ?? '?').toLocaleUpperCase();
}

// A portrait is a ground and layers in a field of 100 × 100. A layer is a colour and a path. A colour after '~'
// draws lines instead of areas, a path after '=' is drawn a second time as in a mirror: faces have two sides.
export type Layer = readonly [colour: string, path: string];
export interface Portrait {
  ground: string;
  layers: readonly Layer[];
}

export const DARK = '#2a211a';
export const CREAM = '#f7e8cf';
export const WHITE = '#fffaf0';

// An ellipse about x, y.
export const o = (x: number, y: number, rx: number, ry = rx): string =>
  `M${x - rx} ${y}a${rx} ${ry} 0 1 0 ${2 * rx} 0a${rx} ${ry} 0 1 0-${2 * rx} 0Z`;
// A pair of eyes with a glint each.
export const eyes = (dx: number, y: number, r = 5, colour = DARK): Layer[] => [
  [colour, `=${o(50 - dx, y, r)}`],
  [WHITE, o(50 - dx + r * 0.35, y - r * 0.35, r * 0.32) + o(50 + dx + r * 0.35, y - r * 0.35, r * 0.32)],
];

// In the order of the names.
export const PORTRAITS: readonly Portrait[] = [
  // hedgehog
  {
    ground: '#8fa86a',
    layers: [
      [
        '#4b3628',
        'M50 1 57 13 67 4 69 17 81 12 79 26 92 25 86 37 98 41 88 50 98 59 86 63 92 74 79 74 81 88 69 83 67 96 57 87 50 99 43 87 33 96 31 83 19 88 21 74 8 75 14 63 2 59 12 50 2 41 14 37 8 26 21 26 19 12 31 17 33 4 43 13Z',
      ],
      [
        '#76563d',
        'M50 14 56 24 66 18 68 29 80 28 76 39 87 44 79 52 87 60 76 65 80 76 68 75 66 86 56 80 50 90 44 80 34 86 32 75 20 76 24 65 13 60 21 52 13 44 24 39 20 28 32 29 34 18 44 24Z',
      ],
      ['#c99a6b', `=${o(27, 50, 8)}`],
      ['#f0d6ae', 'M50 44C56 36 70 38 74 50 78 66 64 90 50 92 36 90 22 66 26 50 30 38 44 36 50 44Z'],
      ['#e3a98a', `=${o(33, 69, 5, 4)}`],
      ...eyes(12, 60),
      [DARK, o(50, 76, 7, 5.5)],
      [`~${DARK}`, 'M44 85q6 4 12 0'],
    ],
  },
  // hare
  {
    ground: '#9aa8c7',
    layers: [
      ['#b98b5e', '=M47 46C34 38 24 18 30 0 42 2 50 24 50 44Z'],
      ['#f0c3ac', '=M44 40C36 32 30 18 32 8 39 12 45 28 46 40Z'],
      ['#c99a6c', 'M50 36C66 36 76 50 75 66 74 82 62 94 50 94S26 82 25 66C24 50 34 36 50 36Z'],
      [CREAM, o(50, 80, 15, 13)],
      ...eyes(15, 62, 5.5),
      ['#b8604f', 'M44 71H56L50 78Z'],
      [WHITE, 'M46 84h8v9h-8Z'],
      [`~#8a6242`, 'M50 78v5m-7 2q5 2 7-2 2 4 7 2'],
    ],
  },
  // badger
  {
    ground: '#5d7d68',
    layers: [
      ['#2f2f33', `=${o(22, 32, 11)}`],
      [WHITE, `=${o(21, 30, 5)}`],
      ['#f3eee3', 'M50 18C72 18 86 36 84 56 82 74 64 94 50 94S18 74 16 56C14 36 28 18 50 18Z'],
      ['#2f2f33', '=M40 19C42 40 44 62 38 86 28 80 20 66 22 50 24 34 30 23 40 19Z'],
      [WHITE, `=${o(34, 54, 5.5)}`],
      ...eyes(16, 54, 3.6),
      ['#2f2f33', o(50, 83, 9, 7)],
      ['#8b8b8b', o(48, 80, 3, 1.8)],
    ],
  },
  // fox
  {
    ground: '#2f6353',
    layers: [
      [
        '#dd7428',
        'M12 12C26 16 36 24 41 31H59C64 24 74 16 88 12 90 34 92 52 84 62L50 94 16 62C8 52 10 34 12 12Z',
      ],
      ['#4a2a1c', '=M18 20C26 24 31 29 35 35L22 44C18 36 17 28 18 20Z'],
      [CREAM, '=M14 58C28 52 44 62 50 94L16 62Z'],
      ...eyes(16, 53),
      [DARK, o(50, 87, 7, 5.5)],
    ],
  },
  // deer
  {
    ground: '#b3c48f',
    layers: [
      ['~#6b4a2e', '=M41 30C35 22 33 14 36 4M35 18C29 16 25 12 24 6'],
      ['#a8703f', '=M36 46C24 30 10 30 3 38 8 52 24 58 37 54Z'],
      ['#f0c3a4', '=M32 47C24 38 15 36 9 40 14 48 24 51 32 50Z'],
      ['#bd8450', 'M50 24C66 24 72 36 70 50L66 78C64 92 36 92 34 78L30 50C28 36 34 24 50 24Z'],
      [CREAM, o(50, 83, 15, 10)],
      [CREAM, o(50, 34, 2.6) + o(43, 40, 2.2) + o(57, 40, 2.2)],
      ...eyes(15, 54, 5.5),
      [DARK, o(50, 78, 8, 5.5)],
    ],
  },
  // owl
  {
    ground: '#3c4a70',
    layers: [
      [
        '#8a6140',
        'M17 8C30 12 40 16 44 22H56C60 16 70 12 83 8 82 24 88 36 88 52 88 80 70 96 50 96S12 80 12 52C12 36 18 24 17 8Z',
      ],
      ['#b98d5f', 'M50 66C66 66 76 74 80 82 72 92 62 97 50 97S28 92 20 82C24 74 34 66 50 66Z'],
      [CREAM, `=${o(32, 48, 18)}`],
      ['#e8a93a', `=${o(33, 48, 12)}`],
      ...eyes(17, 48, 7),
      ['#5a3b26', 'M17 8C34 14 46 22 50 38 54 22 66 14 83 8 74 20 60 26 50 46 40 26 26 20 17 8Z'],
      ['#d9762b', 'M43 56H57L50 70Z'],
    ],
  },
  // squirrel
  {
    ground: '#e2bd74',
    layers: [
      ['#8f3d1c', 'M58 98C96 92 104 52 92 28 84 12 66 14 66 28 66 38 76 38 78 48 80 62 66 70 58 78Z'],
      [
        '#b95c2d',
        'M22 14C30 18 36 24 38 32 42 30 50 30 54 32 56 24 62 18 70 14 72 24 72 34 68 42 76 58 72 88 46 90 20 88 16 58 24 42 20 34 20 24 22 14Z',
      ],
      ['#8f3d1c', 'M22 14C20 8 20 4 22 0 26 5 28 10 28 18ZM70 14C72 8 72 4 70 0 66 5 64 10 64 18Z'],
      [CREAM, 'M46 58C58 58 66 66 64 76 62 86 54 90 46 90S30 86 28 76C26 66 34 58 46 58Z'],
      [DARK, o(32, 54, 5.5) + o(60, 54, 5.5)],
      [WHITE, o(34, 52, 1.8) + o(62, 52, 1.8)],
      [DARK, o(46, 68, 5, 4)],
      [WHITE, 'M42 77h8v8h-8Z'],
      [`~#8a4a2a`, 'M46 71v5m-6 1q4 1 6-1 2 2 6 1'],
    ],
  },
  // otter
  {
    ground: '#6ba7ba',
    layers: [
      ['#5c4232', `=${o(17, 42, 9)}`],
      ['#7c5b44', 'M50 18C72 18 86 32 86 54S72 92 50 92 14 76 14 54 28 18 50 18Z'],
      ['#ecd5b4', 'M50 50C58 46 80 50 80 68 80 84 66 92 50 92S20 84 20 68C20 50 42 46 50 50Z'],
      ...eyes(19, 44),
      [DARK, 'M39 54C42 49 58 49 61 54 60 61 54 65 50 66 46 65 40 61 39 54Z'],
      [`~${DARK}`, 'M50 66v6c-3 5-9 5-13 2m13-2c3 5 9 5 13 2'],
      ['~#a58a6c', '=M32 68 14 64M32 74 15 76'],
    ],
  },
  // marten
  {
    ground: '#8a9a55',
    layers: [
      ['#f2c76b', 'M24 78C34 70 66 70 76 78L74 100H26Z'],
      [CREAM, `=${o(24, 30, 14)}`],
      ['#4b2f22', `=${o(26, 32, 10)}`],
      ['#6b4531', 'M50 20C72 20 80 38 78 52 76 64 60 86 50 86S24 64 22 52C20 38 28 20 50 20Z'],
      ['#8f6547', 'M50 48C58 48 64 58 62 68 60 78 56 86 50 86S40 78 38 68C36 58 42 48 50 48Z'],
      ...eyes(15, 50, 5.5),
      [DARK, o(50, 72, 7, 5)],
      [`~${DARK}`, 'M50 76v3'],
    ],
  },
  // wren
  {
    ground: '#a7cdb9',
    layers: [
      ['#6d4125', 'M64 52 82 8 96 18 80 66Z'],
      ['#96613a', 'M8 48C10 28 28 18 44 24 62 30 68 40 84 50 88 76 70 94 48 92 28 90 20 74 22 58Z'],
      ['#f0dcb8', 'M22 58C30 62 34 66 38 74 44 84 54 90 60 91 40 96 20 82 22 58Z'],
      ['#6d4125', 'M46 56C60 46 76 50 84 56 82 72 66 80 52 74 46 70 44 62 46 56Z'],
      ['~#c79a6a', 'M56 56q10 5 9 18M67 53q8 6 6 18'],
      [CREAM, 'M18 38C28 30 42 32 52 40 42 38 30 38 20 42Z'],
      [DARK, o(31, 44, 4.5)],
      [WHITE, o(32.5, 42.5, 1.5)],
      ['#3d2a1c', 'M20 44 0 50 21 54Z'],
    ],
  },
  // bear
  {
    ground: '#8fb09c',
    layers: [
      ['#6e4830', `=${o(22, 28, 14)}`],
      ['#a87850', `=${o(23, 29, 7)}`],
      ['#7d5438', o(50, 57, 37, 35)],
      ['#d3a878', o(50, 72, 20, 16)],
      ...eyes(17, 50),
      [DARK, o(50, 65, 9, 6.5)],
      [`~${DARK}`, 'M50 70v6c-3 4-7 4-10 2m10-2c3 4 7 4 10 2'],
    ],
  },
  // red panda
  {
    ground: '#33675f',
    layers: [
      [WHITE, '=M12 16C26 12 40 20 44 32L16 50C10 40 8 28 12 16Z'],
      ['#5b1f16', '=M18 22C26 20 33 25 36 32L21 42C17 36 16 28 18 22Z'],
      ['#bd4a27', 'M50 24C74 24 92 44 92 62 84 82 68 94 50 94S16 82 8 62C8 44 26 24 50 24Z'],
      [WHITE, '=M8 62C16 56 28 60 33 70 36 78 36 86 32 90 20 84 11 74 8 62Z'],
      [WHITE, `=${o(33, 44, 8, 5.5)}`],
      ['#7d2a18', '=M29 56C34 56 40 60 40 68 40 76 38 84 35 91 28 84 26 66 29 56Z'],
      [WHITE, 'M50 62C60 62 65 70 64 78 62 88 56 92 50 92S38 88 36 78C35 70 40 62 50 62Z'],
      ...eyes(17, 58),
      [DARK, o(50, 71, 7, 5)],
      [`~${DARK}`, 'M50 75v4c-2 3-5 3-7 2m7-2c2 3 5 3 7 2'],
    ],
  },
  // wolf
  {
    ground: '#d8b463',
    layers: [
      [
        '#59646d',
        'M17 4C29 12 37 20 41 28H59C63 20 71 12 83 4 86 24 86 38 88 52L96 66 82 72 70 86 50 96 30 86 18 72 4 66 12 52C14 38 14 24 17 4Z',
      ],
      ['#333b42', '=M22 16C29 22 33 27 35 33L23 42C21 34 21 24 22 16Z'],
      ['#d9dedb', '=M12 62C26 54 38 58 41 72L44 93 30 86 18 72 4 66Z'],
      ['#aeb7ba', 'M44 34H56L60 70C62 84 56 94 50 96 44 94 38 84 40 70Z'],
      ['#e9b44a', `=${o(33, 55, 6, 5)}`],
      ...eyes(17, 55, 3.6),
      [DARK, o(50, 82, 8, 6)],
      ['~#59646d', '=M27 47 39 51'],
    ],
  },
  // mouse
  {
    ground: '#a9c27e',
    layers: [
      ['#9a8878', `=${o(23, 33, 20)}`],
      ['#f0b8ad', `=${o(24, 34, 13)}`],
      ['#b3a190', 'M50 34C66 34 76 46 75 60 72 76 60 92 50 92S28 76 25 60C24 46 34 34 50 34Z'],
      ['#e9ddd0', 'M50 66C58 66 64 72 62 78 60 86 55 92 50 92S40 86 38 78C36 72 42 66 50 66Z'],
      ...eyes(13, 60, 5.5),
      ['#d9736b', o(50, 84, 6, 5)],
      ['~#7d6c5e', '=M38 78 20 74M38 82 22 85'],
    ],
  },
  // raven
  {
    ground: '#d59b86',
    layers: [
      ['#222838', 'M14 100C12 66 10 40 26 24 40 10 62 14 68 32 70 42 66 54 66 64L76 100Z'],
      ['#38425a', 'M14 100C13 82 12 66 15 52 26 66 44 64 52 76L46 82 58 90 54 100Z'],
      ['#4a4f58', 'M60 26C78 22 94 34 98 48 88 44 78 50 64 50Z'],
      ['#2f333b', 'M62 40C76 40 88 40 98 48 84 48 78 56 65 54Z'],
      [WHITE, o(52, 34, 7.5)],
      [DARK, o(53, 34, 4.8)],
      [WHITE, o(54.5, 32.5, 1.6)],
    ],
  },
  // beaver
  {
    ground: '#7895b8',
    layers: [
      ['#6b4026', `=${o(20, 33, 10)}`],
      ['#c48a5c', `=${o(21, 34, 5)}`],
      ['#8d5a35', 'M50 16C72 16 84 34 84 54S72 92 50 92 16 74 16 54 28 16 50 16Z'],
      [WHITE, 'M41 76H59V94Q50 98 41 94Z'],
      ['~#cdbfa8', 'M50 80V94'],
      ['#c9986a', 'M50 56C60 52 76 56 76 68 76 80 60 84 50 78 40 84 24 80 24 68 24 56 40 52 50 56Z'],
      ...eyes(18, 46),
      [DARK, 'M38 56C40 50 60 50 62 56 61 63 55 66 50 67 45 66 39 63 38 56Z'],
    ],
  },
];
