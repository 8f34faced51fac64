import { describe, expect, it, vi } from 'vitest';
import { isApi, path } from '../src/lib/paths';
import { routeOf } from '../src/lib/router.svelte';

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
    expect(routed('/me/secret')).toEqual({ page: 'claim', secret: 'secret' });
  });
  it('that leads nowhere is told', () => {
    for (const address of ['/nothing', '/new/one', '/t', '/g', '/t/'])
      expect(routed(address)).toEqual({ page: 'lost' });
    expect(routeOf('/t/%E0%A4%A', '', '')).toEqual({ page: 'table', id: '%E0%A4%A', invite: '' });
  });
  it('of the server is left to the browser', () => {
    expect(isApi(path.download('a-1'))).toBe(true);
    expect(isApi(path.me)).toBe(false);
    expect(path.myGames()).toBe('/api/me/games');
    expect(path.myGames('x-1')).toBe('/api/me/games?before=x-1');
  });
});
