// What an administrator who knows the token sees and does.
import { ApiError, asAdmin } from './api';
import type { Overview } from './http';
import { t } from './i18n.svelte';
import { path } from './paths';
import { problem } from './problem';

const KEPT = 'lynxden-admin'; // as long as the tab is open

export class Administration {
  seen = $state.raw<Overview | null>(null);
  wrong = $state('');
  done = $state(false);
  busy = $state(false);
  private token = '';

  // The token of this tab, if it was given before.
  resume(): void {
    const token = sessionStorage.getItem(KEPT);
    if (token) void this.open(token);
  }

  async open(token: string): Promise<void> {
    this.token = token.trim();
    await this.act(() => this.look());
    this.done = false;
    if (this.seen) sessionStorage.setItem(KEPT, this.token);
  }

  lock(): void {
    sessionStorage.removeItem(KEPT);
    this.token = '';
    this.seen = null;
    this.wrong = '';
  }

  async refresh(): Promise<void> {
    await this.act(() => this.look());
    this.done = false;
  }

  // Does something, and shows how things stand then; whether it was done.
  async send(method: string, address: string, body?: unknown): Promise<boolean> {
    return this.act(async () => {
      await asAdmin(this.token)(method, address, body);
      await this.look();
    });
  }

  private async look(): Promise<void> {
    this.seen = await asAdmin(this.token)<Overview>('GET', path.admin);
  }

  private async act(what: () => Promise<void>): Promise<boolean> {
    this.busy = true;
    this.done = false;
    this.wrong = '';
    try {
      await what();
      this.done = true;
    } catch (error) {
      if (error instanceof ApiError && error.code === 'who') {
        this.lock();
        this.wrong = t('admin.token.wrong');
      } else this.wrong = problem(error);
    } finally {
      this.busy = false;
    }
    return this.done;
  }
}
