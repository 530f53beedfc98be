/**
 * Names by which a worker reaches something outside of it. Browsers have more of them than the standards; what one of them lacks is no
 * loss.
 */
const outward =
  /^(?:fetch|fetchLater|XMLHttpRequest|WebSocket\w*|WebTransport\w*|EventSource|importScripts|indexedDB|IDBFactory|caches|CacheStorage|Worker|SharedWorker|BroadcastChannel|webkit\w+)$/;

/**
 * Takes from a worker all that leads outside. Its scope inherits some of it, such as `fetch`: a value of its own would only hide that, so
 * that every object of the chain loses it.
 */
export function closeOutside(scope: object): void {
  for (let at: object | null = scope; at !== null; at = Object.getPrototypeOf(at)) {
    const own: object = at;
    for (const name of Object.getOwnPropertyNames(own))
      if (outward.test(name)) Reflect.defineProperty(own, name, { value: undefined, writable: false, configurable: false });
  }
}
