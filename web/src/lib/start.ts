// Games that begin at once: against bots, or guided. Both lead to their table.
import { post } from './api';
import type { Made, Offer } from './http';
import { path } from './paths';
import { go } from './router.svelte';
import { save, settings } from './settings.svelte';
import { botFor, editionFor, gameFor, playersFor } from './setup';

// What was chosen last time is chosen again.
export async function startGame(offer: Offer, name: string): Promise<void> {
  const game = gameFor(offer, name);
  const edition = editionFor(game, settings.edition[game.name]);
  const bot = botFor(offer, game.name, settings.bot);
  Object.assign(settings, { game: game.name, bot, welcomed: true, guided: true }); // who plays has arrived
  save();
  const bots = Array.from({ length: playersFor(edition, settings.players[game.name]) - 1 }, () => bot);
  const wanted = { game: game.name, edition: edition.name, bots, speed: settings.pace };
  go(path.table((await post<Made>(path.play, wanted)).id));
}

export async function startGuide(game: string): Promise<void> {
  Object.assign(settings, { game, welcomed: true, guided: true });
  save();
  go(path.table((await post<Made>(path.guide, { game, speed: settings.pace })).id));
}
