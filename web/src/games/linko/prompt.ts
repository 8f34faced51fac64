// What is asked of the viewer, and the answers that there are besides choosing cards.
import { seatName } from '../../lib/scene';
import type { Answer } from '../../table/Bar.svelte';
import type { Scene } from './scene';
import { t } from './words';

const who = (scene: Scene, seat: number | null) => seatName(scene.seats, seat);

export function promptOf(scene: Scene): string {
  const { public: table, legal } = scene;
  if (table.over) return t('linko.prompt.over');
  if (scene.seat === null || table.seat !== scene.seat)
    return t('linko.prompt.wait', { name: who(scene, table.seat) });
  if (!legal.length) return t('table.prompt.sent');
  if (legal.some((action) => action.startsWith('play '))) return t('linko.prompt.play');
  if (legal.includes('take')) return t('linko.prompt.take', { name: who(scene, table.victim) });
  if (legal.includes('reclaim')) return t('linko.prompt.reclaim', { name: who(scene, table.active) });
  if (legal.some((action) => action.startsWith('snatch '))) return t('linko.prompt.row');
  if (legal.includes('pass')) return t('linko.prompt.optional');
  return t('linko.prompt.draw', { count: table.owed });
}

// The usual answer and the other one. What cannot be taken back is never where the last button was.
export function answersOf(scene: Scene): { first: Answer | null; second: Answer | null } {
  const { public: table, legal } = scene;
  const count = table.snatched.length;
  const name = who(scene, table.victim);
  const answer = (action: string, label: string, hint = ''): Answer | null =>
    legal.includes(action) ? { name: action, label, hint, act: () => scene.act(action) } : null;
  return {
    first:
      answer('take', t('linko.take'), t('linko.take.hint', { name, count })) ??
      answer('reclaim', t('linko.reclaim')),
    second:
      answer('leave', t('linko.leave'), t('linko.leave.hint', { name, count })) ??
      answer('discard', t('linko.discard', { count })) ??
      answer('pass', t('linko.pass')),
  };
}
