// A table as this page knows it. Messages are shown one after the other, so that every move can be followed.
import { shownSeats } from './names';
import type {
  ChatLine,
  ClientMessage,
  Finished,
  GameEvent,
  GameNow,
  Happening,
  Info,
  ServerMessage,
} from './protocol';
import type { Socket } from './socket';

export interface LogLine {
  number: number;
  at: number;
  kind: string;
  seat: number | null;
  by: string;
  event: GameEvent | null;
  fresh: boolean; // happened since the viewer's last action
}
export interface Refusal {
  code: string;
  text: string;
}
// Shows one message: draws what moves, and calls `apply` when the new state is to be seen.
export type Show = (
  what: Happening,
  before: GameNow | null,
  after: GameNow | null,
  apply: () => Promise<void>,
) => Promise<void>;

// After the decision has changed, input is ignored until the picture has come to rest.
export const SETTLE = 400;
const LONG_QUEUE = 12; // more than this is caught up with at once

export class TableState {
  readonly id: string;
  number = $state(0);
  info: Info | null = $derived.by(() => this.named()); // with the names as the reader sees them
  private latest = $state.raw<Info | null>(null); // as the server sent it
  game = $state.raw<GameNow | null>(null);
  seat = $state<number | null>(null);
  log = $state.raw<LogLine[]>([]);
  chat = $state.raw<ChatLine[]>([]);
  refusal = $state.raw<Refusal | null>(null); // the table cannot be seen
  complaint = $state.raw<Refusal | null>(null); // the last action was not taken
  waiting = $state(false); // an action is on its way
  settled = $state(true); // the decision has been to be seen for long enough to be answered
  watchers = $state.raw<{ names: string[]; count: number }>({ names: [], count: 0 });
  deadline = $state<number | null>(null); // by this page's clock
  missed = $state.raw<Happening[]>([]); // what a bot did in the viewer's place, or while away
  show: Show = async (_what, _before, _after, apply) => apply();
  onturn: () => void = () => {};
  private invite: string;
  private board: boolean; // a screen for everybody: no hand is asked for
  private guest: () => string; // the viewer's public id
  private socket: Socket;
  private stopListening: () => void;
  private stopWatching: () => void;
  private queue: (ServerMessage & { type: 'happened' })[] = [];
  private showing = false;
  private counter = 0;
  private pending = '';
  private unanswered = false; // the pending action; after a reconnection it is sent again
  private received = 0; // the last event that came, shown or not
  private settling: ReturnType<typeof setTimeout> | undefined;

  constructor(socket: Socket, id: string, invite = '', guest: () => string = () => '', board = false) {
    this.socket = socket;
    this.id = id;
    this.invite = invite;
    this.guest = guest;
    this.board = board;
    this.stopListening = socket.listen((message) => this.receive(message));
    this.stopWatching = socket.watch(id, () => this.watch());
  }

  private watch(): ClientMessage {
    const { id, invite, board, received } = this;
    return { type: 'watch', table: id, seen: received, invite, ...(board ? { board } : {}) };
  }

  close(): void {
    clearTimeout(this.settling);
    this.stopListening();
    this.stopWatching();
  }

  private named(): Info | null {
    return this.latest && { ...this.latest, seats: shownSeats(this.latest.seats) };
  }

  get public() {
    return this.game?.public ?? null;
  }

  get finished(): Finished | null {
    return this.game?.finished ?? null;
  }

  get legal(): string[] {
    return this.waiting ? [] : (this.game?.own?.legal ?? []);
  }

  get mySeat() {
    return this.seat === null ? null : (this.info?.seats[this.seat] ?? null);
  }

  act(action: string): void {
    if (this.waiting || !this.settled || !this.legal.includes(action)) return;
    this.complaint = null;
    this.missed = [];
    this.waiting = this.unanswered = true;
    this.counter += 1;
    this.pending = `${this.received}-${this.counter}-${Math.random().toString(36).slice(2, 8)}`;
    this.socket.act({ type: 'act', table: this.id, id: this.pending, seen: this.received, action });
  }

  back(): void {
    this.socket.send({ type: 'back', table: this.id });
  }

  ready(): void {
    this.socket.send({ type: 'ready', table: this.id });
  }

  say(text: string): void {
    this.socket.send({ type: 'say', table: this.id, text });
  }

  sayPhrase(phrase: string): void {
    this.socket.send({ type: 'say', table: this.id, phrase });
  }

  private unsettle(): void {
    clearTimeout(this.settling);
    this.settled = false;
    this.settling = setTimeout(() => {
      this.settled = true;
      if (this.legal.length) this.onturn();
    }, SETTLE);
  }

  receive(message: ServerMessage): void {
    switch (message.type) {
      case 'table':
        if (message.info.id === this.id) this.take(message);
        break;
      case 'happened':
        if (message.table === this.id) this.enqueue(message);
        break;
      case 'ack':
        if (message.table === this.id && message.id === this.pending) {
          this.unanswered = false;
          if (message.number <= this.number) this.waiting = false; // its outcome is shown already
        }
        break;
      case 'refused':
        if (message.table === this.id) this.refused(message);
        break;
      case 'chat':
        if (message.table === this.id) this.hear(message.line);
        break;
      case 'watchers':
        if (message.table === this.id) this.watchers = { names: message.names, count: message.count };
        break;
    }
  }

  // A line that is known comes again if it was deleted.
  private hear(line: ChatLine): void {
    if (!this.chat.some((known) => known.number === line.number))
      this.chat = [...this.chat, line].slice(-200);
    else if (line.removed)
      this.chat = this.chat.map((known) => (known.number === line.number ? line : known));
  }

  private take(message: ServerMessage & { type: 'table' }): void {
    const first = this.latest === null;
    const same = !first && message.number === this.number; // what is to be seen has not changed
    this.queue = [];
    this.refusal = null;
    this.latest = message.info;
    this.seat = message.seat ?? null;
    this.game = message.game ?? null;
    this.number = this.received = message.number;
    this.waiting = this.unanswered; // what is on its way must not be decided twice
    this.chat = message.chat ?? [];
    this.setClock();
    const lines = (message.missed ?? []).flatMap((what) => linesOf(what, !first));
    this.log = [...this.log.filter((line) => !lines.some((other) => other.number === line.number)), ...lines];
    this.missed = first ? [] : (message.missed ?? []).filter((what) => what.kind === 'acted');
    if (!same) this.unsettle();
  }

  private refused(message: ServerMessage & { type: 'refused' }): void {
    if (message.id) {
      if (message.id !== this.pending) return;
      this.waiting = this.unanswered = false;
      this.complaint = message;
      this.unsettle();
      if (message.code === 'stale' || message.code === 'not-running') this.again();
    } else if (this.latest === null || message.code === 'no-spectators' || message.code === 'removed') {
      this.refusal = message;
    } else {
      this.complaint = message;
    }
  }

  // Something was missed, or what was refused would no longer be: ask for a fresh view.
  again(): void {
    this.socket.send(this.watch());
  }

  private enqueue(message: ServerMessage & { type: 'happened' }): void {
    if (message.what.number <= this.received) return;
    if (message.what.number !== this.received + 1) {
      this.again();
      return;
    }
    this.received = message.what.number;
    this.queue.push(message);
    if (!this.showing) void this.run();
  }

  private async run(): Promise<void> {
    this.showing = true;
    try {
      for (let message = this.queue.shift(); message; message = this.queue.shift()) {
        const next = message;
        const apply = async () => this.apply(next);
        if (this.queue.length > LONG_QUEUE) await apply();
        else await this.show(next.what, this.game, next.game ?? this.game, apply);
      }
    } finally {
      this.showing = false;
    }
  }

  private apply(message: ServerMessage & { type: 'happened' }): void {
    if (message.what.number <= this.number) return; // a fresh view came in between
    this.number = message.what.number;
    if (message.info) {
      this.latest = message.info;
      this.seat = this.seatIn(message.info);
    }
    if (message.game) {
      if (message.what.kind === 'dealt') this.log = [];
      this.game = message.game;
      if (message.what.kind === 'acted' || message.what.kind === 'dealt')
        this.waiting = this.unanswered = false;
      this.setClock();
    }
    const own =
      message.what.kind === 'acted' && message.what.seat === this.seat && message.what.by === 'player';
    const before = own ? this.log.map((line) => ({ ...line, fresh: false })) : this.log;
    this.log = [...before, ...linesOf(message.what, !own)].slice(-400);
    if (own) this.missed = [];
    if (message.game) this.unsettle();
  }

  // Sitting down and standing up arrive as they do for everybody else.
  private seatIn(info: Info): number | null {
    const me = this.guest();
    if (!me || this.board) return this.seat;
    const found = info.seats.findIndex((seat) => seat.guest === me && !seat.quit);
    return found < 0 ? null : found;
  }

  private setClock(): void {
    const clock = this.game?.clock;
    this.deadline = clock ? Date.now() + clock.left : null;
  }
}

// Who comes and goes for a moment shows at their seat; the log is for what matters later.
const SHOWN_KINDS = new Set([
  'dealt',
  'stoodin',
  'back',
  'quit',
  'sat',
  'stood',
  'filled',
  'paused',
  'continued',
]);

export function linesOf(what: Happening, fresh: boolean): LogLine[] {
  const common = {
    number: what.number,
    at: what.at,
    kind: what.kind,
    seat: what.seat ?? null,
    by: what.by ?? '',
    fresh,
  };
  if (what.kind === 'acted') return (what.events ?? []).map((event) => ({ ...common, event }));
  return SHOWN_KINDS.has(what.kind) ? [{ ...common, event: null }] : [];
}
