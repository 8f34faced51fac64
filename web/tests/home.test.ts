import { describe, expect, it } from 'vitest';
import type { BotInfo, Offer } from '../src/lib/http';
import { defaults, read } from '../src/lib/settings.svelte';
import {
  botFor,
  botsOf,
  CLOCKS,
  duration,
  editionFor,
  gameFor,
  levelsOf,
  playersFor,
  seatsFor,
  USUAL_CLOCK,
} from '../src/lib/setup';

const BOTH = ['linko', 'blocco'];
const bot = (name: string, level: number | null, games = BOTH): BotInfo => ({
  name,
  title: name,
  description: '',
  level,
  games,
});
const OFFER: Offer = {
  games: [
    {
      name: 'linko',
      title: 'Linko',
      editions: [
        { name: 'classic', players: [2, 3, 4, 5] },
        { name: 'basic', players: [3, 4, 5] },
        { name: 'duel', players: [2] },
      ],
      guide: true,
    },
    { name: 'blocco', title: 'Blocco', editions: [{ name: 'standard', players: [3, 4, 5] }], guide: true },
  ],
  bots: [
    bot('kitten', 1),
    bot('hunter', 2),
    bot('lynx', 3),
    bot('shadow', 4, ['linko']),
    bot('greedy', null),
    bot('random', null),
  ],
  phrases: [],
};

describe('what is chosen to begin with', () => {
  const linko = gameFor(OFFER, 'linko');

  it('is the edition to learn with, for four', () => {
    const edition = editionFor(linko, undefined);
    expect(edition.name).toBe('basic');
    expect(playersFor(edition, undefined)).toBe(4);
  });

  it('is what was chosen last time, as far as it is still possible', () => {
    expect(editionFor(linko, 'classic').name).toBe('classic');
    expect(editionFor(linko, 'gone').name).toBe('basic');
    expect(playersFor(editionFor(linko, 'classic'), 5)).toBe(5);
    expect(playersFor(editionFor(linko, 'duel'), 5)).toBe(2);
    expect(gameFor(OFFER, 'gone').name).toBe('linko');
    expect(editionFor(gameFor(OFFER, 'blocco'), 'basic').name).toBe('standard');
  });

  it('offers bots that play the game, to people those of a level', () => {
    expect(levelsOf(OFFER, 'linko').map((each) => each.name)).toEqual(['kitten', 'hunter', 'lynx', 'shadow']);
    expect(levelsOf(OFFER, 'blocco').map((each) => each.name)).toEqual(['kitten', 'hunter', 'lynx']);
    expect(botsOf(OFFER, 'linko')).toEqual(OFFER.bots);
    expect(botsOf(OFFER, 'blocco').map((each) => each.name)).not.toContain('shadow');
  });

  it('is the level of last time; whatever is none becomes the hunter', () => {
    for (const each of ['kitten', 'hunter', 'lynx', 'shadow'])
      expect(botFor(OFFER, 'linko', each)).toBe(each);
    for (const each of ['greedy', 'random', 'gone', '', 'shadow'])
      expect(botFor(OFFER, 'blocco', each)).toBe('hunter');
    expect(defaults([]).bot).toBe('hunter');
    const stored = read('{"bot":"greedy"}', []).bot; // as a device kept it before there were levels
    expect(botFor(OFFER, 'linko', stored)).toBe('hunter');
    expect(botFor(OFFER, 'linko', read('{"bot":7}', []).bot)).toBe('hunter');
  });

  it('makes do with the bots of another server', () => {
    const only = (...bots: BotInfo[]): Offer => ({ ...OFFER, bots });
    expect(botFor(only(bot('lynx', 3), bot('random', null)), 'linko', 'greedy')).toBe('lynx');
    expect(botFor(only(bot('random', null)), 'linko', 'hunter')).toBe('random');
    expect(botFor(only(), 'linko', 'hunter')).toBe('');
  });
});

describe('a new table', () => {
  it('keeps the seats that were planned when the number changes', () => {
    const before = [{ kind: 'open' }, { kind: 'bot', bot: 'greedy' }] as const;
    const { bots } = OFFER;
    expect(seatsFor(3, before, bots)).toEqual([
      { kind: 'open' },
      { kind: 'bot', bot: 'greedy' },
      { kind: 'open' },
    ]);
    expect(seatsFor(2, seatsFor(3, before, bots), bots)).toHaveLength(2);
  });

  it('has no bot that does not play the game', () => {
    const before = [{ kind: 'open' }, { kind: 'bot', bot: 'shadow' }, { kind: 'bot', bot: 'lynx' }] as const;
    expect(seatsFor(3, before, botsOf(OFFER, 'linko'))).toEqual(before);
    expect(seatsFor(3, before, botsOf(OFFER, 'blocco'))[1]).toEqual({ kind: 'open' });
  });

  it('has a usual clock of each kind', () => {
    for (const [kind, clocks] of Object.entries(CLOCKS)) {
      expect(clocks[USUAL_CLOCK[kind as keyof typeof CLOCKS]]?.kind).toBe(kind);
    }
  });

  it('tells times in the language', () => {
    expect([15, 60, 7200, 86400].map((seconds) => duration(seconds, 'en'))).toEqual([
      '15 sec',
      '1 min',
      '2 hr',
      '1 day',
    ]);
    expect(duration(86400 * 3, 'de')).toBe('3 Tage');
  });
});
