import { describe, expect, it, vi } from 'vitest';
import { isApi, moved, path } from '../src/lib/paths';
import { routeOf } from '../src/lib/router.svelte';

const SECRET = 'Vb81LsYw3nRe0DfKjHqC5t-Xo_9aZ2bQ';

function routed(address: string) {
  const url = new URL(address, 'http://den.example');
  return routeOf(url.pathname, url.search, url.hash);
}

describe('an address', () => {
  it('leads to the page that it is made for', () => {
    vi.stubGlobal('location', { origin: 'http://den.example' });
    expect(routed(path.home)).toEqual({ page: 'home' });
    expect(routed(path.new)).toEqual({ page: 'new' });
    expect(routed(path.import)).toEqual({ page: 'import' });
    expect(routed(path.how())).toEqual({ page: 'how', game: '' });
    expect(routed(path.how('a game'))).toEqual({ page: 'how', game: 'a game' });
    expect(routed(path.me)).toEqual({ page: 'me' });
    expect(routed(path.games)).toEqual({ page: 'me' });
    expect(routed(path.table('a-1'))).toEqual({ page: 'table', id: 'a-1', invite: '' });
    expect(routed(path.invitation('a-1', 'x/y&z'))).toEqual({ page: 'table', id: 'a-1', invite: 'x/y&z' });
    expect(routed(path.replay('a-1'))).toEqual({ page: 'replay', id: 'a-1', step: 0 });
    expect(routed(path.replay('a-1', 12))).toEqual({ page: 'replay', id: 'a-1', step: 12 });
    vi.unstubAllGlobals();
  });
  it('of a personal link asks first', () => {
    expect(routed(`/me#${SECRET}`)).toEqual({ page: 'claim', secret: SECRET });
    for (const part of ['games', 'content', 'devices', ''])
      expect(routed(`/me#${part}`)).toEqual({ page: 'me' });
  });
  it('holds no secret that a browser would send', () => {
    vi.stubGlobal('location', { origin: 'http://den.example' });
    const { pathname, search } = new URL(path.invitation('a-1', SECRET));
    expect(pathname + search).toBe('/t/a-1');
    vi.unstubAllGlobals();
  });
  it('of version 0.1 still leads there, and is replaced', () => {
    expect(routed(`/me/${SECRET}`)).toEqual({ page: 'claim', secret: SECRET });
    expect(routed('/me/anything')).toEqual({ page: 'claim', secret: 'anything' });
    expect(routed('/t/a-1?i=x%2Fy')).toEqual({ page: 'table', id: 'a-1', invite: 'x/y' });
    expect(moved(`/me/${SECRET}`, '')).toBe(`/me#${SECRET}`);
    expect(moved('/t/a-1', '?i=x%2Fy')).toBe('/t/a-1#i=x%2Fy');
    expect(routed(moved('/t/a-1', '?i=x%2Fy')!)).toEqual({ page: 'table', id: 'a-1', invite: 'x/y' });
    for (const [address, search] of [
      ['/me', ''],
      ['/t/a-1', ''],
      ['/new', '?i=x'],
      ['/', ''],
    ] as const)
      expect(moved(address, search)).toBeNull();
  });
  it('that leads nowhere is told', () => {
    for (const address of ['/nothing', '/new/one', '/t', '/g', '/t/'])
      expect(routed(address)).toEqual({ page: 'lost' });
    expect(routeOf('/t/%E0%A4%A', '', '')).toEqual({ page: 'table', id: '%E0%A4%A', invite: '' });
  });
  it('of the server is left to the browser', () => {
    expect(isApi(path.download('a-1'))).toBe(true);
    expect(isApi(path.me)).toBe(false);
    expect(path.gamesOf('a b', { result: 'won' })).toBe('/api/players/a%20b/games?result=won');
  });
  it('of a player and of the ladder', () => {
    expect(routed(path.profile('ab-1'))).toEqual({ page: 'player', id: 'ab-1' });
    expect(routed(path.ladder())).toEqual({ page: 'ladder', game: '', edition: '' });
    expect(routed(path.ladder('linko', 'duel'))).toEqual({ page: 'ladder', game: 'linko', edition: 'duel' });
  });
});
