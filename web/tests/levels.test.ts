// The tiles from which people choose an opponent.
import { render } from 'svelte/server';
import { describe, expect, it } from 'vitest';
import type { BotInfo } from '../src/lib/http';
import { botAbout, botName } from '../src/lib/names';
import { PORTRAITS } from '../src/ui/avatars';
import { catOf } from '../src/ui/cats';
import Levels from '../src/ui/Levels.svelte';

const NAMES = ['kitten', 'hunter', 'lynx', 'shadow'];
const levels: BotInfo[] = NAMES.map((name, i) => ({
  name,
  title: name,
  description: 'What the server says.',
  level: i + 1,
  games: [],
}));

describe('the levels', () => {
  it('have names, sentences and faces of their own', () => {
    const distinct = (texts: string[]) => expect(new Set(texts).size).toBe(NAMES.length);
    distinct(NAMES.map(botName));
    distinct(levels.map(botAbout));
    distinct(NAMES.map((name) => JSON.stringify(catOf(name))));
    for (const name of NAMES) {
      expect(botName(name)).not.toBe(name);
      expect(PORTRAITS).not.toContain(catOf(name));
    }
    expect(botAbout(levels[0]!)).not.toContain('server');
  });

  it('are told in the words of the server if we have none', () => {
    expect(botAbout({ name: 'stranger', description: 'Plays oddly.' })).toBe('Plays oddly.');
    expect(PORTRAITS).toContain(catOf('stranger'));
  });
});

describe('the tiles', () => {
  const props = { levels, chosen: 'lynx', legend: 'Opponents', onchange: () => {} };
  const { body } = render(Levels, { props });
  const inputs = [...body.matchAll(/<input[^>]*>/g)].map(([text]) => text);

  it('are one group of radio buttons, of which the chosen one is checked', () => {
    expect(body).toMatch(/<fieldset[^>]*>\s*(<!--.*?-->)*\s*<legend[^>]*>Opponents</);
    expect(inputs).toHaveLength(4);
    expect(new Set(inputs.map((text) => /name="([^"]+)"/.exec(text)?.[1])).size).toBe(1);
    expect(inputs.map((text) => /type="radio"/.test(text))).toEqual([true, true, true, true]);
    expect(inputs.map((text) => /\schecked/.test(text))).toEqual([false, false, true, false]);
  });

  it('are each described by a sentence, of which one is shown', () => {
    for (const [i, text] of inputs.entries()) {
      const id = /aria-describedby="([^"]+)"/.exec(text)?.[1];
      expect(body).toMatch(new RegExp(`<span[^>]*id="${id}"[^>]*>${botAbout(levels[i]!)}<`));
    }
    expect(body.match(/class="about[^"]* shown/g)).toHaveLength(1);
  });
});
