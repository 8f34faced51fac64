// What is asked of the viewer, and what the choice would do.
import { listOf } from '../../lib/names';
import { seatName } from '../../lib/scene';
import { bonusOf, filling, pileSize, sizeOf, type Choice } from './choice';
import type { Scene } from './scene';
import { colourName, t } from './words';

const who = (scene: Scene, seat: number | null) => seatName(scene.seats, seat);

export function promptOf(scene: Scene): string {
  const table = scene.public;
  if (table.over || table.seat === null) return t('blocco.over');
  const mine = scene.seat !== null && table.seat === scene.seat;
  if (mine && !scene.legal.length) return t('table.prompt.sent');
  const [count, name] = [table.owed, who(scene, table.seat)];
  if (table.decision === 'choose a giver')
    return mine ? t('blocco.prompt.pick', { count }) : t('blocco.wait.pick', { name, count });
  if (table.decision === 'give') {
    const other = who(scene, table.receiver);
    return mine
      ? t('blocco.prompt.give', { name: other, count })
      : t('blocco.wait.give', { name, other, count });
  }
  if (table.last_action) return mine ? t('blocco.prompt.last') : t('blocco.wait.last', { name });
  if (table.actions_left > 1) return mine ? t('blocco.prompt.first') : t('blocco.wait.first', { name });
  return mine ? t('blocco.prompt.second') : t('blocco.wait.second', { name });
}

// What can be chosen at all, for those who do not know yet.
export const hintOf = (scene: Scene): string =>
  scene.legal.length && scene.public.decision === 'act' ? t('blocco.how') : '';

// What the main button says.
export function buttonOf(choice: Choice, scene: Scene): string {
  switch (choice.kind) {
    case 'take':
      return t('blocco.action.take', { place: choice.place });
    case 'block':
      return t('blocco.action.block');
    case 'score':
      return t('blocco.action.score', { count: pileSize(scene.public.players[scene.seat ?? 0]?.pile ?? []) });
    case 'from':
      return t('blocco.action.from', { name: who(scene, choice.seat) });
    case 'give':
      return t('blocco.action.give', { colour: colourName(choice.colour) });
  }
}

// And below that, with what.
export const amountOf = (choice: Choice): string =>
  choice.kind === 'block'
    ? t('blocco.action.amount', { count: choice.groups, colour: colourName(choice.colour) })
    : '';

// What follows from the choice.
export function outcomeOf(choice: Choice, scene: Scene): string {
  const table = scene.public;
  switch (choice.kind) {
    case 'take': {
      const places = filling(choice.place, table.deck_size);
      const fills = places.length
        ? t('blocco.detail.take.fills', { places: listOf(places.map(String)) })
        : t('blocco.detail.take.stays');
      return `${t('blocco.detail.take', { count: table.rows[choice.place - 1]?.length ?? 0 })} ${fills}`;
    }
    case 'block':
      return t('blocco.detail.block', { count: choice.groups * sizeOf(choice.colour) });
    case 'score': {
      const { count, givers } = bonusOf(table, scene.seat ?? 0);
      if (count === 0) return t('blocco.detail.score.none');
      if (givers.length > 1) return t('blocco.detail.score.pick', { count });
      return t('blocco.detail.score.bonus', { count, name: who(scene, givers[0] ?? null) });
    }
    case 'from':
      return t('blocco.detail.from', { name: who(scene, choice.seat), count: table.owed });
    case 'give':
      return table.owed > 1
        ? t('blocco.detail.give.more', { name: who(scene, table.receiver), count: table.owed - 1 })
        : t('blocco.detail.give.last', { name: who(scene, table.receiver) });
  }
}
