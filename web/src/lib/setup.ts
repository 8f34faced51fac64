// What somebody can choose for a table, and sensible choices to begin with. The server checks it all.
import { cardsetOf } from '../games/registry';
import type { BotInfo, EditionInfo, GameInfo, Offer } from './http';
import type { Clock } from './protocol';
import type { SeatChoice } from './http';

const USUAL_PLAYERS = 4;
export const USUAL_BOT = 'hunter';

export function gameFor(offer: Offer, wanted: string): GameInfo {
  return offer.games.find((game) => game.name === wanted) ?? offer.games[0]!;
}

export function editionFor(game: GameInfo, wanted: string | undefined): EditionInfo {
  const named = (name: string | undefined) => game.editions.find((edition) => edition.name === name);
  return named(wanted) ?? named(cardsetOf(game.name).first) ?? game.editions[0]!;
}

export function playersFor(edition: EditionInfo, wanted: number | undefined): number {
  const possible = edition.players;
  if (wanted !== undefined && possible.includes(wanted)) return wanted;
  return possible.includes(USUAL_PLAYERS) ? USUAL_PLAYERS : possible[possible.length - 1]!;
}

export function botsOf(offer: Offer, game: string): BotInfo[] {
  return offer.bots.filter((bot) => bot.games.includes(game));
}

// The opponents for people, from gentle to strong.
export function levelsOf(offer: Offer, game: string): BotInfo[] {
  return botsOf(offer, game).filter((bot) => bot.level !== null);
}

// Whoever chose a bot that is not for people, before there were levels, gets the usual one.
export function botFor(offer: Offer, game: string, wanted: string): string {
  const levels = levelsOf(offer, game);
  const named = (name: string) => levels.find((bot) => bot.name === name)?.name;
  return named(wanted) ?? named(USUAL_BOT) ?? (levels[0] ?? botsOf(offer, game)[0])?.name ?? '';
}

export const CLOCKS: Record<Clock['kind'], Clock[]> = {
  none: [{ kind: 'none', seconds: 0, increment: 0 }],
  decision: [15, 30, 60, 120, 86400, 3 * 86400].map((seconds) => ({
    kind: 'decision',
    seconds,
    increment: 0,
  })),
  bank: [
    { kind: 'bank', seconds: 120, increment: 3 },
    { kind: 'bank', seconds: 300, increment: 5 },
    { kind: 'bank', seconds: 600, increment: 10 },
    { kind: 'bank', seconds: 1200, increment: 20 },
  ],
};
export const USUAL_CLOCK: Record<Clock['kind'], number> = { none: 0, decision: 2, bank: 1 };

// As many seats as players; those that were planned before are kept, but for a bot that does not play this game. The
// first is the host's.
export function seatsFor(
  players: number,
  before: readonly SeatChoice[],
  bots: readonly BotInfo[],
): SeatChoice[] {
  const possible = (seat: SeatChoice | undefined) =>
    seat && (seat.kind !== 'bot' || bots.some((bot) => bot.name === seat.bot)) ? seat : null;
  return Array.from({ length: players }, (_, i) => possible(before[i]) ?? { kind: 'open' });
}

// `30 sec`, `5 min`, `3 days`, in the language's own way.
export function duration(seconds: number, language: string): string {
  const [count, unit] =
    seconds >= 86400
      ? [seconds / 86400, 'day']
      : seconds >= 3600
        ? [seconds / 3600, 'hour']
        : seconds >= 60
          ? [seconds / 60, 'minute']
          : [seconds, 'second'];
  return new Intl.NumberFormat(language, {
    style: 'unit',
    unit,
    unitDisplay: unit === 'day' ? 'long' : 'short', // nobody writes "3 Tg."
    maximumFractionDigits: 1,
  }).format(count);
}
