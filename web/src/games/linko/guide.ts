// What the guide of a first game says about Linko. The server proposes what to do; this has the words for it, and says
// what is true at the table whatever was played.
import { seatName } from '../../lib/scene';
import type { GameGuide, Step } from '../game';
import type { Scene } from './scene';
import { cardName, t } from './words';

type Known = ReadonlySet<string>;

const IDEAS = [
  'goal',
  'lay',
  'optional',
  'snatch',
  'take',
  'reclaim',
  'draw',
  'joker',
  'leave',
  'last',
] as const;

const place = (name: string) => `[data-place="${name}"]`;
const answer = (name: string) => `[data-answer="${name}"]`;
const cardsOf = (action: string) => action.split(' ').slice(1);
const written = (cards: readonly string[]) => cards.join('\u00a0'); // in one line

function play(scene: Scene, advice: string, known: Known): Step {
  const mine = cardsOf(advice);
  const cards = written(mine);
  const at = [...new Set(mine)].map((card) => place(`own:${card}`));
  const step = (idea: string, text: string, more: string[] = []): Step => ({
    idea,
    text,
    at: [...at, ...more],
    action: advice,
  });
  if (mine.length && mine.length === scene.own?.hand.length) return step('last', t('linko.guide.last'));
  if (new Set(mine).size > 1 && !known.has('joker')) return step('joker', t('linko.guide.joker', { cards }));
  const victim = scene.own?.snatches.find((each) => each.action === advice)?.seats[0];
  if (victim !== undefined) {
    const theirs = written(scene.public.players[victim]?.layers.at(-1) ?? []);
    const name = seatName(scene.seats, victim);
    return step(
      'snatch',
      known.has('snatch')
        ? t('linko.guide.snatch.again', { name, cards })
        : t('linko.guide.snatch', { name, theirs, cards }),
      [place(`top:${victim}`)],
    );
  }
  return step(
    'lay',
    known.has('lay') ? t('linko.guide.lay.again', { cards }) : t('linko.guide.lay', { cards }),
  );
}

function draw(scene: Scene, advice: string): Step {
  const cards = advice.slice('draw '.length);
  const slot = scene.public.display.findIndex((each) => each.join(' ') === cards);
  return slot < 0
    ? { idea: 'draw', text: t('linko.guide.draw.deck'), at: [place('deck')] }
    : { idea: 'draw', text: t('linko.guide.draw', { cards: cardName(cards) }), at: [place(`slot:${slot}`)] };
}

function step(scene: Scene, advice: string, known: Known): Step {
  const { legal, public: table } = scene;
  const theirs = written(table.snatched);
  if (legal.includes('take')) {
    const values = { name: seatName(scene.seats, table.victim), theirs };
    return advice === 'leave'
      ? { idea: 'leave', text: t('linko.guide.leave', values), at: [answer('leave')] }
      : { idea: 'take', text: t('linko.guide.take', values), at: [answer('take')] };
  }
  if (legal.includes('reclaim')) {
    const values = { name: seatName(scene.seats, table.active), theirs };
    return advice === 'discard'
      ? { idea: 'reclaim', text: t('linko.guide.discard', values), at: [answer('discard')] }
      : { idea: 'reclaim', text: t('linko.guide.reclaim', values), at: [answer('reclaim')] };
  }
  if (legal.includes('pass')) {
    const text = known.has('optional') ? t('linko.guide.optional.again') : t('linko.guide.optional');
    return { idea: 'optional', text, at: [answer('pass')] };
  }
  return legal.some((action) => action.startsWith('draw '))
    ? draw(scene, advice)
    : play(scene, advice, known);
}

export const guide: GameGuide = {
  ideas: IDEAS,
  intro: () => [{ idea: 'goal', text: t('linko.guide.goal'), at: ['[data-hand]'], then: 'next' }],
  step: (scene, advice, known) => step(scene as Scene, advice, known),
  end: () => t('linko.guide.end'),
};
