/**
 * Names of globals by which a worker reaches anything outside of it. The list has more names than the standards, because browsers add their
 * own; a name that a browser lacks does no harm.
 */
const outward =
  /^(?:fetch|fetchLater|XMLHttpRequest|WebSocket\w*|WebTransport\w*|EventSource|importScripts|indexedDB|IDBFactory|caches|CacheStorage|Worker|SharedWorker|BroadcastChannel|webkit\w+)$/;

/**
 * Removes from a worker every global that leads outside. Some of them are inherited, such as `fetch`. An own property would only hide them,
 * so that they are removed from every object of the prototype chain.
 */
export function closeOutside(scope: object): void {
  for (let at: object | null = scope; at !== null; at = Object.getPrototypeOf(at)) {
    const own: object = at;
    for (const name of Object.getOwnPropertyNames(own))
      if (outward.test(name)) Reflect.defineProperty(own, name, { value: undefined, writable: false, configurable: false });
  }
}
