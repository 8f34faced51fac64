// Games, editions, clocks and the like by name.
import { currentLanguage, t, tryT } from './i18n.svelte';
import type { Clock } from './protocol';
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

// What a bot is like, in a sentence; one that we do not know tells it in English.
export function botAbout(bot: { name: string; description?: string }): string {
  return tryT(`bot.${bot.name}.about`) ?? bot.description ?? '';
}

// A game of one edition needs no second name.
export function gameAndEdition(game: string, edition: string): string {
  return edition === 'standard' ? gameName(game) : `${gameName(game)} · ${editionName(edition)}`;
}

export function clockName(clock: Clock): string {
  const time = duration(clock.seconds, currentLanguage());
  if (clock.kind === 'none') return t('home.clock.none');
  if (clock.kind === 'decision') return t('home.clock.decision', { time });
  return clock.increment
    ? t('home.clock.bank', { time, more: duration(clock.increment, currentLanguage()) })
    : time;
}

export function matchName(rounds: number): string {
  return rounds === 0 ? t('home.match.single') : t('home.match.rounds', { count: rounds });
}

// Several names as the language lists them: "Ann, Ben and Cleo".
export function listOf(names: readonly string[]): string {
  return new Intl.ListFormat(currentLanguage(), { type: 'conjunction' }).format(names);
}

// Who has won, in a sentence.
export function winText(names: readonly string[]): string {
  const [name = ''] = names;
  return names.length > 1 ? t('table.end.shared', { names: listOf(names) }) : t('table.end.winner', { name });
}
