import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ClientMessage, GameNow, Info, ServerMessage } from '../src/lib/protocol';
import type { Socket } from '../src/lib/socket';
import { linesOf, SETTLE, TableState } from '../src/lib/table.svelte';

function fake() {
  const sent: ClientMessage[] = [];
  let listener: (message: ServerMessage) => void = () => {};
  const socket = {
    listen: (next: typeof listener) => ((listener = next), () => {}),
    watch: (_: string, message: () => ClientMessage) => (sent.push(message()), () => {}),
    act: (message: ClientMessage) => sent.push(message),
    send: (message: ClientMessage) => sent.push(message),
  } as unknown as Socket;
  return { socket, sent, hear: (message: ServerMessage) => listener(message) };
}

const info = {
  id: 't',
  phase: 'running',
  seats: [
    { kind: 'person', name: 'Ann' },
    { kind: 'bot', name: 'Bot' },
  ],
} as unknown as Info;
const game = (legal: string[]) =>
  ({ public: { seat: 0 }, own: { seat: 0, hand: ['7'], legal } }) as unknown as GameNow;
const fresh = (number: number, legal: string[]): ServerMessage => ({
  type: 'table',
  number,
  info,
  seat: 0,
  game: game(legal),
});
const acted = (number: number, seat: number, legal: string[] = []): ServerMessage => ({
  type: 'happened',
  table: 't',
  what: {
    number,
    at: 0,
    kind: 'acted',
    seat,
    by: seat ? 'bot' : 'player',
    events: [{ kind: 'plays', seat, other: null, cards: ['7'], count: 0, place: 0 }],
  },
  game: game(legal),
});
// What was received has been shown, and the picture has come to rest.
const settled = () => vi.advanceTimersByTimeAsync(SETTLE);

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a table', () => {
  it('asks for what it has not seen, and shows what comes', async () => {
    const { socket, sent, hear } = fake();
    const table = new TableState(socket, 't', 'secret');
    expect(sent[0]).toEqual({ type: 'watch', table: 't', seen: 0, invite: 'secret' });
    hear(fresh(5, ['play 7']));
    expect(table.legal).toEqual(['play 7']);
    hear(acted(6, 1));
    await settled();
    expect(table.number).toBe(6);
    expect(table.log.map((line) => line.fresh)).toEqual([true]);
  });

  it('acts once, with an id and what it has seen', async () => {
    const { socket, sent, hear } = fake();
    const table = new TableState(socket, 't');
    hear(fresh(5, ['play 7']));
    await settled();
    table.act('play 9');
    expect(sent.length).toBe(1);
    table.act('play 7');
    table.act('play 7');
    expect(sent.length).toBe(2);
    expect(sent[1]).toMatchObject({ type: 'act', seen: 5, action: 'play 7' });
    expect(table.legal).toEqual([]);
  });

  it('takes no action for a picture that is still changing', async () => {
    const { socket, sent, hear } = fake();
    const table = new TableState(socket, 't');
    const turns = vi.fn();
    table.onturn = turns;
    hear(fresh(5, ['play 7']));
    await vi.advanceTimersByTimeAsync(SETTLE - 1);
    table.act('play 7');
    expect([sent.length, table.settled, turns.mock.calls.length]).toEqual([1, false, 0]);
    hear(acted(6, 1, ['play 7'])); // it changes again, and the time begins anew
    await vi.advanceTimersByTimeAsync(SETTLE - 1);
    table.act('play 7');
    expect(sent.length).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect([table.settled, turns.mock.calls.length]).toEqual([true, 1]);
    table.act('play 7');
    expect(sent[1]).toMatchObject({ type: 'act', seen: 6 });
  });

  it('asks again when a number is missing, and ignores what it has', async () => {
    const { socket, sent, hear } = fake();
    const table = new TableState(socket, 't');
    hear(fresh(5, []));
    hear(acted(5, 1));
    hear(acted(8, 1));
    await settled();
    expect(table.number).toBe(5);
    expect(sent[sent.length - 1]).toMatchObject({ type: 'watch', seen: 5 });
  });

  it('shows one event after the other, even if they come at once', async () => {
    const { socket, hear } = fake();
    const table = new TableState(socket, 't');
    hear(fresh(5, []));
    const shown: number[] = [];
    table.show = async (what, _before, _after, apply) => {
      await new Promise((done) => setTimeout(done, 100));
      await apply();
      shown.push(what.number);
    };
    hear(acted(6, 1));
    hear(acted(7, 1));
    hear(acted(8, 0));
    await vi.advanceTimersByTimeAsync(150);
    expect(shown).toEqual([6]);
    await settled();
    expect(shown).toEqual([6, 7, 8]);
    expect(table.log.map((line) => line.fresh)).toEqual([false, false, false]);
  });

  it('says why an action was not taken, and goes on', async () => {
    const { socket, sent, hear } = fake();
    const table = new TableState(socket, 't');
    hear(fresh(5, ['play 7']));
    await settled();
    table.act('play 7');
    const id = (sent[1] as { id: string }).id;
    hear({ type: 'refused', code: 'stale', text: 'the game has gone on', table: 't', id });
    expect(table.complaint?.code).toBe('stale');
    expect(sent[2]).toMatchObject({ type: 'watch' });
    expect(table.waiting).toBe(false);
  });

  it('does not offer a decision again whose answer is still on its way', async () => {
    const { socket, sent, hear } = fake();
    const table = new TableState(socket, 't');
    hear(fresh(5, ['play 7']));
    await settled();
    table.act('play 7');
    const id = (sent[1] as { id: string }).id;
    hear(fresh(5, ['play 7'])); // after a reconnection, before the action is sent again
    expect(table.legal).toEqual([]);
    hear({ type: 'ack', table: 't', id, number: 6 });
    expect(table.legal).toEqual([]);
    hear(acted(6, 0, ['draw deck']));
    await settled();
    expect(table.legal).toEqual(['draw deck']);
    table.act('draw deck');
    const other = (sent[2] as { id: string }).id;
    hear(fresh(8, ['play 7'])); // this time the server had it before the connection was lost
    hear({ type: 'ack', table: 't', id: other, number: 7 });
    expect(table.legal).toEqual(['play 7']);
  });

  it('knows where the viewer sits as soon as they sit down', async () => {
    const { socket, hear } = fake();
    const table = new TableState(socket, 't', 'secret', () => 'ben');
    const seats = (guest: string) => ({ ...info, seats: [{ guest: 'ann' }, { guest }] }) as unknown as Info;
    hear({ type: 'table', number: 5, info: seats('') } as unknown as ServerMessage);
    expect(table.seat).toBe(null);
    const sat = (number: number, kind: string, guest: string) =>
      hear({
        type: 'happened',
        table: 't',
        what: { number, at: 0, kind, seat: 1 },
        info: seats(guest),
      } as ServerMessage);
    sat(6, 'sat', 'ben');
    await settled();
    expect(table.seat).toBe(1);
    sat(7, 'stood', '');
    await settled();
    expect(table.seat).toBe(null);
  });

  it('cannot be seen without permission', () => {
    const { socket, hear } = fake();
    const table = new TableState(socket, 't');
    hear({ type: 'refused', code: 'not-found', text: 'no table', table: 't' });
    expect(table.refusal?.code).toBe('not-found');
  });

  it('leaves out of the log what needs no words', () => {
    expect(linesOf({ number: 1, at: 0, kind: 'ready', seat: 0 }, true)).toEqual([]);
  });
});
