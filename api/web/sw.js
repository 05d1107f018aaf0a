// The page without a network: the files come from the network where it answers quickly, else from the last visit.
// Nothing of the API is kept here but the rule sets, which change only with the server.
const CACHE = 'burraco-page-2';
const SHELL = [
  '/', '/style.css', '/app.js', '/manifest.webmanifest', '/icons/icon.svg', '/icons/icon-192.png', '/icons/icon-512.png',
  '/vendor/preact/preact.module.js', '/vendor/preact/hooks.module.js', '/vendor/htm/htm.module.js',
  ...['ui', 'store', 'words', 'cards', 'draft', 'net', 'deal', 'meld', 'keys', 'match', 'newmatch', 'chart', 'share', 'rules', 'rule_words', 'house', 'photo', 'settings'].map((name) => `/js/${name}.js`),
];
const PATIENCE = 1500; // milliseconds

self.addEventListener('install', (event) => {
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(SHELL.map((path) => new Request(path, { cache: 'reload' })))).then(() => self.skipWaiting()));
});

self.addEventListener('activate', (event) => {
  event.waitUntil(caches.keys().then((names) => Promise.all(names.filter((name) => name.startsWith('burraco-page-') && name !== CACHE).map((name) => caches.delete(name)))).then(() => self.clients.claim()));
});

self.addEventListener('fetch', (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== 'GET' || url.origin !== location.origin) return;
  const rules = url.pathname === '/v1/rules' || /^\/v1\/rules\/[\w-]+$/.test(url.pathname);
  if (url.pathname.startsWith('/v1/') && !rules) return;
  const known = SHELL.includes(url.pathname);
  const view = event.request.mode === 'navigate';
  if (!known && !rules && !view) return;
  // One rule set is kept for each language, for its words differ.
  const place = view ? '/' : rules ? `${url.pathname}?${(event.request.headers.get('accept-language') ?? '').slice(0, 2)}` : url.pathname;
  event.respondWith(answer(event, place));
});

async function answer(event, place) {
  const cache = await caches.open(CACHE);
  const kept = cache.match(place);
  const fresh = fetch(event.request).then((response) => {
    if (response.ok) event.waitUntil(cache.put(place, response.clone()).catch(() => {}));
    return response;
  });
  const slow = new Promise((resolve) => { setTimeout(resolve, PATIENCE); }).then(() => kept).then((response) => response ?? fresh);
  return Promise.race([fresh.catch(async () => (await kept) ?? Response.error()), slow]);
}
