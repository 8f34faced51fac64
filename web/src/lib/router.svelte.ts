// Which page is shown, by the address.
import { FIRST, INVITE, inviteIn, isApi, moved, secretIn } from './paths';

export type Route =
  | { page: 'home' }
  | { page: 'new' }
  | { page: 'table'; id: string; invite: string }
  | { page: 'big'; id: string; invite: string }
  | { page: 'replay'; id: string; step: number }
  | { page: 'import' }
  | { page: 'how'; game: string }
  | { page: 'me' }
  | { page: 'claim'; secret: string }
  | { page: 'player'; id: string }
  | { page: 'ladder'; game: string; edition: string }
  | { page: 'admin' }
  | { page: 'lost' };

export function routeOf(path: string, search: string, hash: string): Route {
  const parts = path.split('/').filter(Boolean).map(plain);
  const [first = '', second = ''] = parts;
  const alone = parts.length === 1;
  if (parts.length === 0) return { page: 'home' };
  if (first === FIRST.new && alone) return { page: 'new' };
  if (first === FIRST.admin && alone) return { page: 'admin' };
  if (first === FIRST.import && alone) return { page: 'import' };
  if (first === FIRST.table && second)
    return {
      page: 'table',
      id: second,
      invite: inviteIn(hash) || (new URLSearchParams(search).get(INVITE) ?? ''),
    };
  if (first === FIRST.big && second) return { page: 'big', id: second, invite: inviteIn(hash) };
  if (first === FIRST.replay && second)
    return { page: 'replay', id: second, step: Number(hash.slice(1)) || 0 };
  if (first === FIRST.player && second) return { page: 'player', id: second };
  if (first === FIRST.ladder) return { page: 'ladder', game: second, edition: parts[2] ?? '' };
  if (first === FIRST.how) return { page: 'how', game: second };
  if (first === FIRST.me) {
    const secret = second || secretIn(hash);
    return secret ? { page: 'claim', secret } : { page: 'me' };
  }
  return { page: 'lost' };
}

// What was written by hand may be no valid escape.
function plain(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function here(): Route {
  const better = moved(location.pathname, location.search);
  if (better) history.replaceState(history.state, '', better); // not asked for again with the secret in it
  return routeOf(location.pathname, location.search, location.hash);
}
let current = $state.raw<Route>(typeof location === 'undefined' ? { page: 'home' } : here());

export function route(): Route {
  return current;
}

export function go(path: string, replace = false): void {
  history[replace ? 'replaceState' : 'pushState']({}, '', path);
  current = here();
  scrollTo(0, 0);
}

// Links inside the page change it without loading it anew.
export function follow(event: MouseEvent): void {
  const link = (event.target as Element | null)?.closest('a');
  if (
    !link ||
    event.defaultPrevented ||
    event.button !== 0 ||
    event.metaKey ||
    event.ctrlKey ||
    event.shiftKey
  )
    return;
  if (link.origin !== location.origin || link.target || link.hasAttribute('download')) return;
  if (isApi(link.pathname)) return;
  event.preventDefault();
  const inside = link.getAttribute('href') ?? '';
  if (inside.startsWith('#')) {
    // a part of this page; the address stays, with what may stand after its #
    document.getElementById(inside.slice(1))?.focus();
    return;
  }
  go(link.pathname + link.search + link.hash);
}

if (typeof window !== 'undefined') {
  // The browser's arrows, or a link that was pasted over one that differs only after the #.
  for (const kind of ['popstate', 'hashchange'])
    window.addEventListener(kind, () => {
      current = here();
    });
}
