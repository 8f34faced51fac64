// A replay that is being watched: where it stands, who looks at it, and how it moves on.
import type { GamePage } from '../games/game';
import { cardsetOf } from '../games/registry';
import { fly, type Flight } from './fly';
import type { Replay } from './http';
import { t } from './i18n.svelte';
import { tell } from './live.svelte';
import {
  flightTime,
  marksOf,
  namesIn,
  nextMark,
  pace,
  previousMark,
  sceneOf,
  seatsOf,
  spoken,
  turnsOf,
  viewerOf,
  within,
  type Sight,
  type Viewer,
} from './replay';
import { moveTime } from './settings.svelte';
import { eventPieces, textOf, type Piece } from './words';

// Asks the server for the game as a viewer saw it.
export type Load = (viewer: Viewer) => Promise<Replay>;

export class Player {
  readonly game: GamePage;
  replay = $state.raw<Replay>() as Replay; // as the present viewer saw it
  sight = $state.raw<Sight>() as Sight; // how it is looked at
  wish = $state.raw<Sight>() as Sight; // how it is to be looked at: the same, unless that is still on its way
  failure = $state.raw<unknown>(null); // why what is wished for did not come
  step = $state(0);
  playing = $state(false);
  speed = $state<number>(1);
  onmove: (step: number) => void = () => {};
  readonly last = $derived.by(() => this.replay.steps.length - 1);
  readonly marks = $derived.by(() => marksOf(this.game.notable, this.replay.steps));
  readonly scene = $derived.by(() => sceneOf(this.replay, this.step, this.sight.side));
  readonly lines = $derived.by(() => this.replay.steps.map((_, step) => textOf(this.told(step))));
  readonly turns = $derived.by(() =>
    turnsOf(this.replay.steps).map((seat) =>
      seat === null ? null : t('replay.turn', { name: namesIn(this.replay)[seat] ?? '' }),
    ),
  );
  private timer: ReturnType<typeof setTimeout> | undefined;
  private session = 0; // of playing by itself; what belongs to an older one has nothing more to say
  private flying = false;
  private landed: Promise<void> = Promise.resolve(); // no card is in the air any more
  private load: Load;
  private loaded = new Map<Viewer, Promise<Replay>>();

  // `replay` is what the viewer of that sight was sent.
  constructor(game: GamePage, load: Load, replay: Replay, sight: Sight, step: number) {
    this.game = game;
    this.load = load;
    this.replay = replay;
    this.sight = this.wish = sight;
    this.loaded.set(viewerOf(sight), Promise.resolve(replay));
    this.step = within(step, this.last);
  }

  // Look at it otherwise. Until that has come, everything stays as it is.
  async see(wish: Sight): Promise<void> {
    this.wish = wish;
    this.failure = null;
    try {
      const replay = await this.asSeenBy(viewerOf(wish));
      await this.landed;
      if (this.wish !== wish) return; // something else was wished for meanwhile
      this.replay = replay;
      this.sight = wish;
      this.step = within(this.step, this.last);
    } catch (error) {
      if (this.wish === wish) this.failure = error;
    }
  }

  private asSeenBy(viewer: Viewer): Promise<Replay> {
    const known = this.loaded.get(viewer);
    if (known) return known;
    const coming = this.load(viewer);
    this.loaded.set(viewer, coming);
    coming.catch(() => this.loaded.delete(viewer)); // so that it can be tried again
    return coming;
  }

  // What happens at a step, as the viewer was sent.
  told(step: number): Piece[] {
    const { replay } = this;
    const there = replay.steps[step];
    if (!there || step === 0) return [{ text: t('replay.dealt') }];
    const seats = seatsOf(replay);
    return spoken(there).flatMap((event, i) => [
      ...(i ? [{ text: ' ' }] : []),
      ...eventPieces(replay.game, event, seats),
    ]);
  }

  // Somebody takes over: the game no longer runs by itself.
  goTo(step: number): void {
    this.pause();
    void this.show(step);
  }

  toMark(back: boolean): void {
    const mark = back ? previousMark(this.marks, this.step) : nextMark(this.marks, this.step);
    if (mark !== null) this.goTo(mark);
  }

  async toggle(): Promise<void> {
    if (this.playing) {
      this.pause();
      return;
    }
    if (this.step >= this.last) await this.show(0);
    this.playing = true;
    this.timer = setTimeout(() => void this.run(), pace(this.speed) / 3);
  }

  pause(): void {
    this.playing = false;
    this.session += 1;
    clearTimeout(this.timer);
  }

  private async run(): Promise<void> {
    const began = Date.now();
    const mine = this.session;
    await this.show(this.step + 1);
    if (this.session !== mine) return;
    if (this.step >= this.last) this.pause();
    else {
      const rest = Math.max(60, pace(this.speed) - (Date.now() - began));
      this.timer = setTimeout(() => void this.run(), rest);
    }
  }

  private async show(wanted: number): Promise<void> {
    const step = within(wanted, this.last);
    if (step === this.step) return;
    const one = step === this.step + 1;
    const words = textOf(this.told(step));
    tell(one ? words : `${t('replay.told', { step, last: this.last })} ${words}`);
    const apply = async () => {
      this.step = step;
      this.onmove(step);
    };
    // Whoever is in a hurry does not wait for cards that still fly.
    if (!one || this.flying) {
      await apply();
      return;
    }
    const flights = this.flightsTo(step);
    const time = flightTime(moveTime(), this.playing ? this.speed : null);
    this.flying = true;
    const flight = fly(flights, cardsetOf(this.replay.game).Card, time, apply).finally(
      () => (this.flying = false),
    );
    this.landed = flight.catch(() => {});
    await flight;
  }

  private flightsTo(step: number): Flight[] {
    const [from, to] = [this.replay.steps[step - 1]!, this.replay.steps[step]!];
    const { own, hands, side } = this.scene;
    // Where the hand at the bottom lies open, its cards have places of their own, as a player's do.
    return this.game.flights(to.events, from.public, to.public, own || hands ? side : null);
  }
}
