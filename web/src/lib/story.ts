// What the action bar says of what has happened: first of all what happened to the viewer.
import type { SeatInfo } from './protocol';
import type { LogLine } from './table.svelte';
import { eventPieces, type Piece } from './words';

const SILENT = new Set(['turn']); // it can be seen

export function storyOf(
  game: string,
  log: readonly LogLine[],
  seats: SeatInfo[],
  me: number | null,
  asked: boolean, // something is to be decided
): Piece[] {
  const told = log.filter((line) => line.event && !SILENT.has(line.event.kind));
  const mine =
    asked && me !== null ? told.findLast((line) => line.fresh && line.event?.other === me) : undefined;
  const line = mine ?? told.at(-1);
  return line?.event ? eventPieces(game, line.event, seats, me) : [];
}
