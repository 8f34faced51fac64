// The windows that a table must fit: phones, tablets, laptops, large screens.
import { pageOf, type Box, type Frame, type Size } from '../src/table/layout';

export const WINDOWS: readonly (readonly [number, number])[] = [
  [360, 640],
  [390, 664],
  [390, 844],
  [412, 915],
  [640, 400],
  [844, 390],
  [768, 1024],
  [820, 1180],
  [1024, 768],
  [1280, 600],
  [1280, 800],
  [1366, 650],
  [1440, 900],
  [1920, 1080],
  [2560, 1440],
];

// What the window leaves to the table.
export function tableIn(width: number, height: number): Size {
  const page = pageOf(width, height);
  return { w: width - page.panel, h: height - page.header };
}

export const boxesOf = (frame: Frame): [string, Box][] => [
  ...frame.seats.map((box, i): [string, Box] => [`seat ${i}`, box]),
  ['middle', frame.middle],
  ['own', frame.own],
  ['hand', frame.hand],
  ...(frame.bar ? [['bar', frame.bar] as [string, Box]] : []),
];

const ROUND = 0.5; // pixels are whole, shares of them are not
export const inside = (box: Box, { w, h }: Size): boolean =>
  box.x >= -ROUND && box.y >= -ROUND && box.x + box.w <= w + ROUND && box.y + box.h <= h + ROUND;

export const overlap = (a: Box, b: Box): boolean =>
  a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
