// The service worker touches built files only.
import { describe, expect, it } from 'vitest';
import source from '../public/sw.js?raw';

type Listener = (event: unknown) => void;

function start() {
  const listeners: Record<string, Listener> = {};
  const kept = new Map<string, unknown>();
  const fetched: string[] = [];
  const cache = {
    match: async (request: { url: string }) => kept.get(request.url),
    put: async (request: { url: string }, answer: unknown) => void kept.set(request.url, answer),
    keys: async () => [...kept.keys()].map((url) => ({ url })),
    delete: async (request: { url: string }) => kept.delete(request.url),
  };
  const shown: { title: string; body: string; data: { url: string } }[] = [];
  const scope = {
    registration: {
      showNotification: async (title: string, more: { body: string; data: { url: string } }) =>
        void shown.push({ title, body: more.body, data: more.data }),
    },
    addEventListener: (kind: string, listener: Listener) => (listeners[kind] = listener),
    skipWaiting() {},
  };
  const fetch = async (request: { url: string }) => {
    fetched.push(request.url);
    return { status: 200, clone: () => 'copy' };
  };
  new Function('self', 'caches', 'location', 'fetch', source)(
    scope,
    { open: async () => cache },
    { origin: 'https://den.test' },
    fetch,
  );
  const ask = (path: string, method = 'GET') => {
    let answer: Promise<unknown> | null = null;
    const request = { method, url: new URL(path, 'https://den.test').href };
    listeners['fetch']!({ request, respondWith: (given: Promise<unknown>) => (answer = given) });
    return answer as Promise<unknown> | null;
  };
  const push = (message: unknown) => listeners['push']!({ data: { json: () => message }, waitUntil() {} });
  return { ask, fetched, push, shown };
}

describe('the service worker', () => {
  it('shows a reminder in the language of the reader', () => {
    const worker = start();
    worker.push({ kind: 'turn', table: 'abc', game: 'linko', language: 'de' });
    worker.push({ kind: 'turn', table: 'x/y', game: 'blocco', language: 'xx' });
    expect(worker.shown).toEqual([
      { title: 'Du bist dran', body: 'Linko', data: { url: '/t/abc' } },
      { title: 'Your turn', body: 'Blocco', data: { url: '/t/x%2Fy' } },
    ]);
  });

  it.each(['/', '/api/me', '/api/assets/x', '/t/abc', '/sw.js', 'https://elsewhere.test/assets/a.js'])(
    'leaves %s alone',
    (path) => {
      expect(start().ask(path)).toBeNull();
    },
  );

  it('leaves everything but GET alone', () => {
    expect(start().ask('/assets/a.js', 'POST')).toBeNull();
  });

  it('fetches a built file once', async () => {
    const worker = start();
    await worker.ask('/assets/a-1.js');
    await new Promise((done) => setTimeout(done));
    expect(await worker.ask('/assets/a-1.js')).toBe('copy');
    expect(worker.fetched).toEqual(['https://den.test/assets/a-1.js']);
  });
});
