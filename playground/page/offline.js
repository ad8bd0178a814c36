// Keeps all files of the page, so that it works without a network. `FILES` and `VERSION` are written by tools/playground.sh.

const FILES = [];
const VERSION = "";

addEventListener("install", (event) => {
  const keep = async () => (await caches.open(VERSION)).addAll(FILES.map((file) => new Request(file, { cache: "no-cache" })));
  event.waitUntil(keep().then(() => skipWaiting()));
});

addEventListener("activate", (event) => {
  const tidy = async () => {
    const old = (await caches.keys()).filter((name) => name.startsWith("nakiri-") && name !== VERSION);
    await Promise.all(old.map((name) => caches.delete(name)));
    await clients.claim();
  };
  event.waitUntil(tidy());
});

addEventListener("fetch", (event) => {
  const kept = async () => {
    const own = await caches.open(VERSION);
    return (await own.match(event.request, { ignoreSearch: true })) ?? fetch(event.request);
  };
  event.respondWith(kept());
});
