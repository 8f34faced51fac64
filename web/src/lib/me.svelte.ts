// Who I am, and the one socket of this page.
import { get, post } from './api';
import type { Me, Offer } from './http';
import { path } from './paths';
import { browserWire, Socket, type Status } from './socket';

class Identity {
  me = $state.raw<Me | null>(null);
  offer = $state.raw<Offer | null>(null);
  status = $state<Status>('connecting');
  failed = $state(false); // the server cannot be reached at all
  readonly socket = new Socket(browserWire);

  async arrive(): Promise<void> {
    this.failed = false;
    try {
      [this.me, this.offer] = await Promise.all([post<Me>(path.identity, {}), get<Offer>(path.offer)]);
    } catch {
      this.failed = true;
      return;
    }
    this.socket.onstatus = (status) => (this.status = status);
    this.socket.onnobody = () => void this.anew();
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
    } catch {
      // the socket goes on trying
    }
  }
}

export const identity = new Identity();
