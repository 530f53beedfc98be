import type { Host } from "../process/host.ts";
import { GuardedStore } from "../state/guarded.ts";
import { LocalStore } from "../state/local.ts";
import { MemoryRows } from "../state/memory.ts";
import type { StateKey, StateStore } from "../state/store.ts";
import type { JsonObject } from "../value/json.ts";
import type { Effects } from "./effects.ts";

/** The durable state of a run, in memory: it begins with these values, and what is written is noted. */
export async function stubbedState(host: Host, config: string, values: JsonObject, effects: Effects): Promise<StateStore> {
  const inner = new GuardedStore(new LocalStore(new MemoryRows(host.limits.maxStateBytes), host.now), host.log);
  await fill(inner, config, values);
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

/** Writes the values that the state begins with: `KEY`, or `NAMESPACE.KEY` split at the first dot. */
async function fill(store: StateStore, config: string, values: JsonObject): Promise<void> {
  for (const [name, value] of Object.entries(values)) {
    const dot = name.indexOf(".");
    await store.set({ namespace: dot < 0 ? config : name.slice(0, dot), key: name.slice(dot + 1) }, value, {});
  }
}
