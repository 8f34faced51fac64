// Faces of people who have no portrait.
import { render } from 'svelte/server';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { LANGUAGES, setLanguage, type Language } from '../src/lib/i18n.svelte';
import { shownSeats } from '../src/lib/names';
import { seatsOf } from '../src/lib/replay';
import type { EveningRow, SeatInfo } from '../src/lib/protocol';
import Evening from '../src/ui/Evening.svelte';
import Points from '../src/ui/Points.svelte';
import Seat from '../src/ui/Seat.svelte';

vi.stubGlobal('document', { documentElement: {}, querySelector: () => null }); // which language it is in

const ALL = Object.keys(LANGUAGES) as Language[];
const coloursOf = (html: string): string[] =>
  [...html.matchAll(/background:\s*(oklch\([^)]*\))/g)].map((found) => found[1]!);

async function inEveryLanguage(draw: () => { body: string }): Promise<string[][]> {
  const found: string[][] = [];
  for (const language of ALL) {
    await setLanguage(language);
    found.push(coloursOf(draw().body));
  }
  return found;
}

function expectOneColourEach(found: string[][], people: number): void {
  expect(found).toHaveLength(6);
  for (const colours of found) expect(colours).toEqual(found[0]);
  expect(new Set(found[0]).size).toBe(people);
}

afterEach(() => setLanguage('en'));

describe('the colour of somebody without a name', () => {
  const seat: SeatInfo = { kind: 'person', name: 'Guest 4f2a', guest: 'guest-1', here: true };

  it('is the same in every language', async () => {
    const shown = new Set<string>();
    const found = await inEveryLanguage(() => {
      const [seen] = shownSeats([seat]);
      shown.add(seen!.name!);
      return render(Seat, { props: { seat: seen!, number: 0 } });
    });
    expect(shown.size).toBeGreaterThan(1);
    expectOneColourEach(found, 1);
  });

  it('is the same at the table and in the standing of the evening', () => {
    const rows: EveningRow[] = [{ name: 'Guest 4f2a', guest: 'guest-1', games: 2 }];
    const standing = coloursOf(render(Evening, { props: { rows } }).body);
    expect(standing).toEqual(coloursOf(render(Seat, { props: { seat, number: 3 } }).body));
  });

  it('stays when they choose a name, and a namesake has another', () => {
    const colour = (more: Partial<SeatInfo>) =>
      coloursOf(render(Seat, { props: { seat: { ...seat, ...more }, number: 0 } }).body)[0];
    expect(colour({ name: 'Ann' })).toBe(colour({}));
    expect(colour({ name: 'Ann', guest: 'guest-2' })).not.toBe(colour({ name: 'Ann' }));
  });

  it('is one for each seat of a record without names', async () => {
    const names = ['Player 1', 'Player 2', 'Player 3'];
    const found = await inEveryLanguage(() =>
      render(Points, {
        props: {
          game: 'linko',
          seats: seatsOf({ names, guests: [] }),
          outcome: { scores: [3, 2, 1], winners: [0], reason: '' },
          breakdown: [[], [], []],
        },
      }),
    );
    expectOneColourEach(found, 3);
  });
});
