// A replay that is being watched: where it stands, from whose side it is seen, and how it moves on.
import type { GamePage } from '../games/game';
import { cardsetOf } from '../games/registry';
import { fly, type Flight } from './fly';
import type { Replay } from './http';
import { t } from './i18n.svelte';
import { tell } from './live.svelte';
import {
  flightTime,
  marksOf,
  nextMark,
  pace,
  previousMark,
  sceneOf,
  seatsOf,
  seenBy,
  spoken,
  turned,
  turnsOf,
  within,
} from './replay';
import { moveTime } from './settings.svelte';
import { eventPieces, textOf, type Piece } from './words';

export interface Start {
  step: number;
  side: number;
  open: boolean;
}

export class Player {
  readonly replay: Replay;
  readonly game: GamePage;
  readonly last: number;
  readonly marks: number[];
  step = $state(0);
  side = $state(0); // the seat whose side the table is seen from
  open = $state(true); // all hands are shown
  playing = $state(false);
  speed = $state<number>(1);
  onmove: (step: number) => void = () => {};
  readonly scene = $derived.by(() => sceneOf(this.game, this.replay, this.step, this.side, this.open));
  readonly lines = $derived.by(() => this.replay.steps.map((_, step) => textOf(this.told(step))));
  readonly turns = $derived.by(() =>
    turnsOf(this.replay.steps).map((seat) =>
      seat === null ? null : t('replay.turn', { name: this.replay.names[seat] ?? '' }),
    ),
  );
  private timer: ReturnType<typeof setTimeout> | undefined;
  private session = 0; // of playing by itself; what belongs to an older one has nothing more to say
  private flying = false;

  constructor(replay: Replay, game: GamePage, { step, side, open }: Start) {
    this.replay = replay;
    this.game = game;
    this.last = replay.steps.length - 1;
    this.marks = marksOf(game.notable, replay.steps);
    this.step = within(step, this.last);
    this.side = side;
    this.open = open;
  }

  // What happens at a step, as far as it may be known with the hands that are open.
  told(step: number): Piece[] {
    const { replay } = this;
    const there = replay.steps[step];
    if (!there || step === 0) return [{ text: t('replay.dealt') }];
    const seats = seatsOf(replay);
    const events = this.open ? spoken(there) : seenBy(this.game.unseen, spoken(there), this.side);
    return events.flatMap((event, i) => [
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
    this.flying = true;
    try {
      const time = flightTime(moveTime(), this.playing ? this.speed : null);
      await fly(this.flightsTo(step), cardsetOf(this.replay.game).Card, time, apply);
    } finally {
      this.flying = false;
    }
  }

  private flightsTo(step: number): Flight[] {
    const { game, replay, side } = this;
    const from = turned(game.turn, replay.steps[step - 1]!, side);
    const to = turned(game.turn, replay.steps[step]!, side);
    const events = this.open ? to.events : seenBy(game.unseen, to.events, 0);
    return game.flights(events, from.public, to.public, null);
  }
}
