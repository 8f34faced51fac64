import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ServerMessage } from '../src/lib/protocol';
import { Socket, type Wire } from '../src/lib/socket';

class Cable implements Wire {
  sent: { type: string; [key: string]: unknown }[] = [];
  closed = false;
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  send(text: string) {
    this.sent.push(JSON.parse(text));
  }
  close() {
    this.closed = true;
  }
  hear(message: ServerMessage) {
    this.onmessage?.({ data: JSON.stringify(message) });
  }
}

let cables: Cable[];
let socket: Socket;
const last = () => cables[cables.length - 1]!;

beforeEach(() => {
  vi.useFakeTimers();
  cables = [];
  socket = new Socket(() => {
    cables.push(new Cable());
    return last();
  });
  socket.start();
});
afterEach(() => {
  socket.stop();
  vi.useRealTimers();
});

describe('the socket', () => {
  it('sends nothing before it is open, and everything that is wanted once it is', () => {
    socket.watch('t1', () => ({ type: 'watch', table: 't1', seen: 0 }));
    socket.listenToLobby(true);
    expect(last().sent).toEqual([]);
    last().onopen?.();
    expect(last().sent).toEqual([{ type: 'lobby' }, { type: 'watch', table: 't1', seen: 0 }]);
  });

  it('goes on watching when whoever watched before leaves', () => {
    last().onopen?.();
    const first = socket.watch('t1', () => ({ type: 'watch', table: 't1', seen: 0 }));
    const second = socket.watch('t1', () => ({ type: 'watch', table: 't1', seen: 0, invite: 'x' }));
    first();
    expect(last().sent.map(({ type }) => type)).toEqual(['watch', 'watch']);
    second();
    second();
    expect(last().sent.map(({ type }) => type)).toEqual(['watch', 'watch', 'unwatch']);
  });

  it('reconnects with growing patience, and says anew what it has seen', () => {
    let seen = 3;
    last().onopen?.();
    socket.watch('t1', () => ({ type: 'watch', table: 't1', seen }));
    seen = 8;
    last().onclose?.({ code: 1006 });
    expect(socket.status).toBe('lost');
    vi.advanceTimersByTime(1000);
    expect(cables.length).toBe(2);
    last().onopen?.();
    expect(last().sent).toEqual([{ type: 'watch', table: 't1', seen: 8 }]);
    for (let i = 0; i < 8; i += 1) {
      last().onclose?.({ code: 1006 });
      vi.advanceTimersByTime(20000);
    }
    expect(cables.length).toBe(10);
  });

  it('tries often while the server restarts, and then with growing patience', () => {
    last().onopen?.();
    last().onclose?.({ code: 1012 });
    for (let second = 0; second < 12; second += 1) {
      vi.advanceTimersByTime(1000);
      last().onclose?.({ code: 1006 });
    }
    expect(cables.length).toBe(13);
    for (let second = 0; second < 60; second += 1) {
      vi.advanceTimersByTime(1000);
      if (cables.length > 13 + second) last().onclose?.({ code: 1006 });
    }
    expect(cables.length).toBeLessThan(30);
  });

  it('repeats an action until it is answered', () => {
    last().onopen?.();
    const act = { type: 'act', table: 't1', id: 'a', seen: 1, action: 'take' } as const;
    socket.act(act);
    last().onclose?.({ code: 1006 });
    vi.advanceTimersByTime(1000);
    last().onopen?.();
    expect(last().sent).toEqual([act]);
    last().hear({ type: 'ack', table: 't1', id: 'a', number: 2 });
    last().onclose?.({ code: 1006 });
    vi.advanceTimersByTime(2000);
    last().onopen?.();
    expect(last().sent).toEqual([]);
  });

  it('does not repeat what was refused, even if it could only not be stored: the player chooses anew', () => {
    last().onopen?.();
    socket.act({ type: 'act', table: 't1', id: 'a', seen: 1, action: 'take' });
    last().hear({ type: 'refused', code: 'unavailable', text: '', table: 't1', id: 'a' });
    last().onclose?.({ code: 1012 });
    vi.advanceTimersByTime(1000);
    last().onopen?.();
    expect(last().sent.length).toBe(0);
  });

  it('tells when nobody knows who we are', () => {
    const asked = vi.fn();
    socket.onnobody = asked;
    last().onclose?.({ code: 4401 });
    expect(asked).toHaveBeenCalledOnce();
  });
});
