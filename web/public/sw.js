// Keeps the built files, whose names change with their contents, and a page for those who are offline. Everything
// else, and above all /api, is left to the network as if this worker were not there: the page itself is never stale,
// and no answer is kept.
const CACHE = 'assets-1';
const OFFLINE = 'offline-1';
const OFFLINE_FILES = ['/offline.html', '/offline.css', '/offline.js', '/icon.svg'];
const MOST = 150; // files; those of earlier versions go first

self.addEventListener('install', (event) => {
  self.skipWaiting();
  event.waitUntil(caches.open(OFFLINE).then((cache) => cache.addAll(OFFLINE_FILES)));
});

self.addEventListener('activate', (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) =>
        Promise.all(
          names.filter((name) => name !== CACHE && name !== OFFLINE).map((name) => caches.delete(name)),
        ),
      )
      .then(() => self.clients.claim()),
  );
});

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const url = new URL(request.url);
  if (request.method !== 'GET' || url.origin !== location.origin) return;
  if (url.pathname.startsWith('/assets/')) event.respondWith(fromCache(request));
  else if (request.mode === 'navigate')
    event.respondWith(fetch(request).catch(() => offline('/offline.html')));
  else if (OFFLINE_FILES.includes(url.pathname))
    event.respondWith(fetch(request).catch(() => offline(url.pathname)));
});

async function offline(path) {
  const cache = await caches.open(OFFLINE);
  return (await cache.match(path)) ?? Response.error();
}

async function fromCache(request) {
  const cache = await caches.open(CACHE).catch(() => null);
  const found = await cache?.match(request);
  if (found) return found;
  const answer = await fetch(request);
  if (cache && answer.status === 200) {
    const copy = answer.clone();
    cache
      .put(request, copy)
      .then(() => tidy(cache))
      .catch(() => {}); // no room: the file was delivered all the same
  }
  return answer;
}

async function tidy(cache) {
  const kept = await cache.keys();
  await Promise.all(kept.slice(0, Math.max(0, kept.length - MOST)).map((request) => cache.delete(request)));
}

// A reminder from the server while the page is closed: it names the table, and no card.
const TURN = {
  en: 'Your turn',
  de: 'Du bist dran',
  fr: 'À toi de jouer',
  it: 'Tocca a te',
  pl: 'Twoja kolej',
  ko: '내 차례',
};

self.addEventListener('push', (event) => {
  const { table = '', game = '', language = 'en' } = event.data?.json() ?? {};
  event.waitUntil(
    self.registration.showNotification(TURN[language] ?? TURN.en, {
      body: game.charAt(0).toUpperCase() + game.slice(1),
      tag: table,
      icon: '/icon-192.png',
      data: { url: `/t/${encodeURIComponent(table)}` },
    }),
  );
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const { url = '/' } = event.notification.data ?? {};
  event.waitUntil(
    self.clients.matchAll({ type: 'window', includeUncontrolled: true }).then((windows) => {
      const open = windows.find((each) => new URL(each.url).pathname === url);
      return open ? open.focus() : self.clients.openWindow(url);
    }),
  );
});
