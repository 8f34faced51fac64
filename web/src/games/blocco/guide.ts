// What the guide of a first game says about Blocco. The server proposes what to do; this has the words for it, and says
// what is true at the table whatever was played.
import { seatName } from '../../lib/scene';
import type { GameGuide, Step } from '../game';
import { bonusOf, sizeOf } from './choice';
import type { Scene } from './scene';
import { colourName, t } from './words';

type Known = ReadonlySet<string>;

const IDEAS = ['goal', 'take', 'block', 'score', 'blocked', 'give', 'free', 'on', 'gaps', 'last'] as const;
const LONG = 9; // after so many actions the learner goes on alone, though not everything came up

const item = (name: string) => `[data-item="${name}"]`;
// What is to be pressed for an action.
function placeOf(action: string): string {
  const [kind = '', which = ''] = action.split(' ');
  return item(kind === 'score' ? 'pile' : kind === 'take' ? `row:${which}` : `colour:${which}`);
}
const has = (known: Known, ...ideas: string[]) => ideas.every((idea) => known.has(idea));

// A colour with a whole group in hand that somebody else blocks: the server says so.
function blockedIn(scene: Scene): { colour: string; seat: number } | null {
  for (const { code, places, seat } of scene.own?.why ?? []) {
    const colour = places[0]?.split(':')[1] ?? '';
    const held = scene.own?.hand.filter((card) => card === colour).length ?? 0;
    if (code === 'blocked' && seat !== null && held >= sizeOf(colour)) return { colour, seat };
  }
  return null;
}

function act(scene: Scene, advice: string, known: Known): Step {
  const [kind = '', which = ''] = advice.split(' ');
  const colour = colourName(which);
  const blocked = blockedIn(scene);
  if (blocked && !known.has('blocked'))
    return {
      idea: 'blocked',
      text: t('blocco.guide.blocked', {
        name: seatName(scene.seats, blocked.seat),
        colour: colourName(blocked.colour),
      }),
      at: [`[data-place="pile:${blocked.seat}"]`, item(`colour:${blocked.colour}`), placeOf(advice)],
      action: advice,
    };
  if (kind === 'score') {
    const { count, givers } = bonusOf(scene.public, scene.seat ?? 0);
    const text =
      count && givers.length === 1
        ? t('blocco.guide.score', { name: seatName(scene.seats, givers[0]), count })
        : t('blocco.guide.score.plain');
    return { idea: 'score', text, at: [item('pile')], action: advice };
  }
  if (kind === 'block') {
    const at = [item(`colour:${which}`)];
    if (!known.has('block'))
      return { idea: 'block', text: t('blocco.guide.block', { colour }), at, action: advice };
    return known.has('blocked') && !known.has('free') && !blocked
      ? { idea: 'free', text: t('blocco.guide.free', { colour }), at, action: advice }
      : { idea: 'block', text: t('blocco.guide.block.again', { colour }), at, action: advice };
  }
  const text = t(known.has('take') ? 'blocco.guide.take.again' : 'blocco.guide.take', { place: which });
  return { idea: 'take', text, at: [item(`row:${which}`)], action: advice };
}

// Once the deck is used up.
function nearEnd(scene: Scene, advice: string, known: Known): Step {
  const at = [placeOf(advice)];
  if (!known.has('gaps')) return { idea: 'gaps', text: t('blocco.guide.gaps'), at, action: advice };
  return advice === 'score' && !known.has('last')
    ? { idea: 'last', text: t('blocco.guide.last'), at, action: advice }
    : act(scene, advice, known);
}

function step(scene: Scene, advice: string, known: Known, acted: number): Step {
  const { public: table } = scene;
  const [, which = ''] = advice.split(' ');
  if (table.decision === 'give')
    return {
      idea: 'give',
      text: t('blocco.guide.give', { name: seatName(scene.seats, table.receiver), count: table.owed }),
      at: [item(`colour:${which}`)],
      action: advice,
    };
  if (table.decision === 'choose a giver')
    return {
      idea: 'pick',
      text: t('blocco.guide.pick'),
      at: table.givers.map((seat) => item(`from:${seat}`)),
    };
  const all = has(known, 'take', 'block', 'score') && (has(known, 'blocked', 'give', 'free') || acted > LONG);
  if (all && !known.has('on'))
    return { idea: 'on', text: t('blocco.guide.on'), at: [placeOf(advice)], then: 'on' };
  return table.deck_size === 0 ? nearEnd(scene, advice, known) : act(scene, advice, known);
}

export const guide: GameGuide = {
  ideas: IDEAS,
  intro: () => [{ idea: 'goal', text: t('blocco.guide.goal'), at: ['[data-hand]'], then: 'next' }],
  step: (scene, advice, known, acted) => step(scene as Scene, advice, known, acted),
  end: () => t('blocco.guide.end'),
};
