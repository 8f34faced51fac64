// The one module that owns the socket: it connects, reconnects, and sends again what was not acknowledged.
import { path } from './paths';
import type { ClientMessage, ServerMessage } from './protocol';

export type Status = 'connecting' | 'open' | 'lost';
export interface Wire {
  send(text: string): void;
  close(): void;
  onopen: (() => void) | null;
  onmessage: ((event: { data: string }) => void) | null;
  onclose: ((event: { code: number }) => void) | null;
}
type Listener = (message: ServerMessage) => void;

const FIRST_WAIT = 300;
const LONGEST_WAIT = 8000;
const PING_EVERY = 25000;
// After a close that says so, the server is back within seconds: then it is worth trying often.
const RESTARTING = 1012;
const RESTART_WAIT = 500;
const RESTART_TAKES = 15000;
export const NO_IDENTITY = 4401;

export class Socket {
  status: Status = 'connecting';
  onstatus: (status: Status) => void = () => {};
  onnobody: () => void = () => {};
  private wire: Wire | null = null;
  private listeners = new Set<Listener>();
  private watched = new Map<string, () => ClientMessage>();
  private acts = new Map<string, ClientMessage>();
  private lobby = false;
  private wait = FIRST_WAIT;
  private restarting = -Infinity; // when the server said that it restarts
  private timer: ReturnType<typeof setTimeout> | undefined;
  private ping: ReturnType<typeof setInterval> | undefined;
  private stopped = false;

  constructor(private open: () => Wire) {}

  start(): void {
    this.stopped = false;
    this.connect();
  }

  stop(): void {
    this.stopped = true;
    clearTimeout(this.timer);
    clearInterval(this.ping);
    this.wire?.close();
    this.wire = null;
  }

  // Try at once, when the device is back online or the page is looked at again.
  hurry(): void {
    if (this.status === 'lost' && !this.stopped) {
      clearTimeout(this.timer);
      this.connect();
    }
  }

  listen(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  // `message` is asked anew after each reconnection, so that it can say what was seen last.
  // Returns how to end it, which does nothing once somebody else watches the same table: a page that is made anew
  // begins before the old one ends.
  watch(table: string, message: () => ClientMessage): () => void {
    this.watched.set(table, message);
    this.send(message());
    return () => {
      if (this.watched.get(table) !== message) return;
      this.watched.delete(table);
      this.send({ type: 'unwatch', table });
    };
  }

  // An action is sent again until the server has answered it; its id makes that harmless.
  act(message: ClientMessage & { type: 'act' }): void {
    this.acts.set(message.id, message);
    this.send(message);
  }

  listenToLobby(on: boolean): void {
    this.lobby = on;
    this.send({ type: 'lobby', on });
  }

  send(message: ClientMessage): void {
    if (this.status === 'open') this.wire?.send(JSON.stringify(message));
  }

  private connect(): void {
    this.set(this.status === 'lost' ? 'lost' : 'connecting');
    const wire = this.open();
    this.wire = wire;
    wire.onopen = () => {
      this.wait = FIRST_WAIT;
      this.set('open');
      if (this.lobby) this.send({ type: 'lobby' });
      for (const message of this.watched.values()) this.send(message());
      for (const message of this.acts.values()) this.send(message);
      clearInterval(this.ping);
      this.ping = setInterval(() => this.send({ type: 'ping' }), PING_EVERY);
    };
    wire.onmessage = (event) => this.receive(JSON.parse(event.data) as ServerMessage);
    wire.onclose = (event) => {
      if (this.wire !== wire || this.stopped) return;
      clearInterval(this.ping);
      this.set('lost');
      if (event.code === NO_IDENTITY) this.onnobody();
      if (event.code === RESTARTING) this.restarting = performance.now();
      const soon = performance.now() - this.restarting < RESTART_TAKES;
      const wait = soon ? RESTART_WAIT : this.wait;
      this.timer = setTimeout(() => this.connect(), wait * (0.7 + 0.6 * Math.random()));
      if (!soon) this.wait = Math.min(LONGEST_WAIT, this.wait * 2);
    };
  }

  private receive(message: ServerMessage): void {
    // Refused is refused, whatever for: the player chooses anew, and nothing old is played in its place.
    if ((message.type === 'ack' || message.type === 'refused') && message.id) this.acts.delete(message.id);
    for (const listener of this.listeners) listener(message);
  }

  private set(status: Status): void {
    this.status = status;
    this.onstatus(status);
  }
}

export function browserWire(): Wire {
  const scheme = location.protocol === 'https:' ? 'wss:' : 'ws:';
  return new WebSocket(`${scheme}//${location.host}${path.socket}`) as unknown as Wire;
}
