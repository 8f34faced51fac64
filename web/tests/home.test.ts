import { describe, expect, it } from 'vitest';
import type { Offer } from '../src/lib/http';
import {
  botFor,
  botsOf,
  CLOCKS,
  duration,
  editionFor,
  gameFor,
  playersFor,
  seatsFor,
  USUAL_CLOCK,
} from '../src/lib/setup';

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
    },
    { name: 'blocco', title: 'Blocco', editions: [{ name: 'standard', players: [3, 4, 5] }] },
  ],
  bots: ['random', 'greedy'],
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

  it('knows only bots that there are', () => {
    expect(botFor(OFFER, 'greedy')).toBe('greedy');
    expect(botFor(OFFER, 'gone')).toBe('random');
    expect(botsOf(OFFER)).toEqual(['greedy', 'random']);
  });
});

describe('a new table', () => {
  it('keeps the seats that were planned when the number changes', () => {
    const before = [{ kind: 'open' }, { kind: 'bot', bot: 'greedy' }] as const;
    expect(seatsFor(3, before)).toEqual([{ kind: 'open' }, { kind: 'bot', bot: 'greedy' }, { kind: 'open' }]);
    expect(seatsFor(2, seatsFor(3, before))).toHaveLength(2);
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
    expect(duration(86400 * 3, 'de')).toBe('3 Tg.');
  });
});
