import type { Host } from "../process/host.ts";
import { GuardedStore } from "../state/guarded.ts";
import { LocalStore } from "../state/local.ts";
import { MemoryRows } from "../state/memory.ts";
import { identity, type StateKey, type StateStore, seenCap, serialised } from "../state/store.ts";
import type { Effects } from "./effects.ts";
import type { World } from "./world.ts";

type GivenState = Pick<World, "state" | "versions" | "seen">;

/** The durable state of a run, in memory: it begins with these values, and all writes are noted. */
export function stubbedState(host: Host, config: string, given: GivenState, effects: Effects): StateStore {
  const rows = new MemoryRows(host.limits.maxStateBytes);
  fill(rows, config, given, host.now());
  const inner = new GuardedStore(new LocalStore(rows, host.now), host.log);
  const nameOf = ({ namespace, key }: StateKey): string => (namespace === config ? key : `${namespace}.${key}`);
  return {
    get: inner.get,
    set: async (place, value, write) => {
      effects.add({ state: nameOf(place), value });
      return inner.set(place, value, write);
    },
    advance: async (place, value, ttl) => {
      effects.add({ state: nameOf(place), advance: value });
      return inner.advance(place, value, ttl);
    },
    delete: async (place) => {
      effects.add({ state: nameOf(place), deleted: true });
      return inner.delete(place);
    },
    seen: async (place, ids, remember) => {
      effects.add({ state: nameOf(place), seen: [...ids] });
      return inner.seen(place, ids, remember);
    },
    close: inner.close,
  };
}

/** Writes the initial values of the state, by `KEY` or `NAMESPACE.KEY` split at the first dot. */
function fill(rows: MemoryRows, config: string, { state, versions, seen }: GivenState, now: number): void {
  const placeOf = (name: string): StateKey => {
    const dot = name.indexOf(".");
    return { namespace: dot < 0 ? config : name.slice(0, dot), key: name.slice(dot + 1) };
  };
  for (const [name, value] of Object.entries(state))
    rows.write(placeOf(name), { json: serialised(value), version: versions[name] ?? 1, expires: null }, now);
  for (const [name, ids] of Object.entries(seen))
    rows.remember(placeOf(name), [...new Set(ids.map(identity))], { expires: null, cap: seenCap, now });
}
