// Which page is shown, by the address.
export type Route =
  | { page: 'home' }
  | { page: 'new' }
  | { page: 'table'; id: string; invite: string }
  | { page: 'replay'; id: string; step: number }
  | { page: 'import' }
  | { page: 'how'; game: string }
  | { page: 'me' }
  | { page: 'claim'; secret: string }
  | { page: 'lost' };

export function routeOf(path: string, search: string, hash: string): Route {
  const parts = path.split('/').filter(Boolean);
  const [first = '', second = ''] = parts;
  if (parts.length === 0) return { page: 'home' };
  if (first === 'new' && parts.length === 1) return { page: 'new' };
  if (first === 'import' && parts.length === 1) return { page: 'import' };
  if (first === 't' && second)
    return { page: 'table', id: second, invite: new URLSearchParams(search).get('i') ?? '' };
  if (first === 'g' && second) return { page: 'replay', id: second, step: Number(hash.slice(1)) || 0 };
  if (first === 'how') return { page: 'how', game: second || 'linko' };
  if (first === 'me') return second ? { page: 'claim', secret: second } : { page: 'me' };
  return { page: 'lost' };
}

const here = () => routeOf(location.pathname, location.search, location.hash);
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
  if (link.pathname.startsWith('/api/')) return;
  event.preventDefault();
  go(link.pathname + link.search + link.hash);
}

if (typeof window !== 'undefined') {
  window.addEventListener('popstate', () => {
    current = here();
  });
}
