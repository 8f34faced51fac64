// Games, editions, clocks, people and the like by name.
import { currentLocale, t, tryT } from './i18n.svelte';
import type { Clock, SeatInfo } from './protocol';
import { duration } from './setup';

export function gameName(game: string): string {
  return tryT(`game.${game}`) ?? game;
}

export function editionName(edition: string): string {
  return tryT(`edition.${edition}`) ?? edition;
}

export function botName(bot: string): string {
  return tryT(`bot.${bot}`) ?? bot;
}

// What a bot is like, in a sentence; one that we do not know says it in English.
export function botAbout(bot: { name: string; description?: string }): string {
  return tryT(`bot.${bot.name}.about`) ?? bot.description ?? '';
}

// A game of one edition needs no second name.
export function gameAndEdition(game: string, edition: string): string {
  return edition === 'standard' ? gameName(game) : `${gameName(game)} · ${editionName(edition)}`;
}

export function clockName(clock: Clock): string {
  const time = duration(clock.seconds, currentLocale());
  if (clock.kind === 'none') return t('home.clock.none');
  if (clock.kind === 'decision') return t('home.clock.decision', { time });
  return clock.increment
    ? t('home.clock.bank', { time, more: duration(clock.increment, currentLocale()) })
    : time;
}

export function matchName(rounds: number): string {
  return rounds === 0 ? t('home.match.single') : t('home.match.rounds', { count: rounds });
}

// Several names as the language lists them: "Ann, Ben and Cleo".
export function listOf(names: readonly string[]): string {
  return new Intl.ListFormat(currentLocale(), { type: 'conjunction' }).format(names);
}

// Several things one after the other, without an "and": "2 red, 1 blue".
export function rowOf(things: readonly string[]): string {
  return things.join(t('list.next'));
}

// Who has won, in a sentence.
export function winText(names: readonly string[]): string {
  const [name = ''] = names;
  return names.length > 1 ? t('table.end.shared', { names: listOf(names) }) : t('table.end.winner', { name });
}

// Names that nobody chose are the server's, in English: of a guest, of a player in a record without names, and of a
// bot before bots had names of their own.
const GUEST = /^Guest ([0-9A-Za-z]{4})$/;
const PLAYER = /^Player (\d)$/;
const BOT = /^([A-Z][a-z]+) (\d)$/;

// Whether somebody has not chosen a name yet.
export const isNameless = (name: string): boolean => GUEST.test(name);

// Somebody's name as the reader sees it.
export function shownName(name: string, bot = false): string {
  const [, id] = GUEST.exec(name) ?? [];
  if (id) return t('name.guest', { id });
  const [, number] = PLAYER.exec(name) ?? [];
  if (number) return t('name.player', { number });
  const [, kind = '', seat = ''] = bot ? (BOT.exec(name) ?? []) : [];
  const known = kind ? tryT(`bot.${kind.toLowerCase()}`) : null;
  return known === null ? name : t('name.bot', { bot: known, number: seat });
}

export function shownSeats<T extends Pick<SeatInfo, 'kind' | 'name'>>(seats: readonly T[]): T[] {
  return seats.map((seat) =>
    seat.name ? { ...seat, name: shownName(seat.name, seat.kind === 'bot') } : seat,
  );
}
