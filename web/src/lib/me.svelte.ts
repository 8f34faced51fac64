// Who I am, and the one socket of this page.
import { ApiError, get, post } from './api';
import type { Me, Offer } from './http';
import { shownName } from './names';
import { path } from './paths';
import { browserWire, Socket, type Status } from './socket';

const REFUSALS = new Set(['banned', 'no-newcomers']);

class Identity {
  me = $state.raw<Me | null>(null);
  offer = $state.raw<Offer | null>(null);
  status = $state<Status>('connecting');
  failed = $state(false); // the server cannot be reached at all
  refused = $state.raw<ApiError | null>(null); // the server does not want this guest
  readonly name = $derived(this.me ? shownName(this.me.name) : ''); // my own, in my language
  readonly socket = new Socket(browserWire);

  async arrive(): Promise<void> {
    this.failed = false;
    this.refused = null;
    try {
      [this.me, this.offer] = await Promise.all([post<Me>(path.identity, {}), get<Offer>(path.offer)]);
    } catch (error) {
      if (error instanceof ApiError && REFUSALS.has(error.code)) this.refused = error;
      else this.failed = true;
      return;
    }
    this.socket.onstatus = (status) => (this.status = status);
    this.socket.onnobody = () => void this.anew();
    this.socket.onbanned = () => void this.anew(); // the answer says why
    this.socket.start();
    addEventListener('online', () => this.socket.hurry());
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden) this.socket.hurry();
    });
  }

  // The identity is no longer valid (it was forgotten, or signed out elsewhere): become a new guest.
  private async anew(): Promise<void> {
    try {
      this.me = await post<Me>(path.identity, {});
    } catch (error) {
      // Otherwise the socket goes on trying.
      if (error instanceof ApiError && REFUSALS.has(error.code)) this.refused = error;
    }
  }
}

export const identity = new Identity();
