import type { Act, Run } from "../run/run.ts";
import type { StateKey, StateStore, Stored } from "../state/store.ts";
import type { Json } from "../value/json.ts";
import type { Bounded } from "./bounded.ts";
import { hides } from "./hides.ts";
import type { CapturedExchange } from "./recording.ts";

/** The most places that are kept, and the most identities of one set. */
const mostPlaces = 50;
const mostIds = 1_000;

/** A value or a set as it was before the run; values that the run itself has written do not count. */
interface Found {
  readonly act: Act | undefined;
  readonly place: StateKey;
  /** The name of the place in a test; undefined when a test cannot name it. */
  readonly name: string | undefined;
  /** The value before the run; undefined when there was none, or when no test needs it. */
  stored?: Stored | undefined;
  /** True while the value itself is unknown, so that a later answer of the store replaces it. */
  isGuess?: boolean;
  /** Identities, with true when the set held one before. */
  readonly ids: Map<string, boolean>;
}

/** The durable state as a run has found it. */
export class FoundState {
  readonly #values = new Map<string, Found>();
  readonly #sets = new Map<string, Found>();

  /** The store, with all its answers noted. */
  over(run: Run, act: Act | undefined, store: StateStore): StateStore {
    const noted = (map: Map<string, Found>, place: StateKey): Found | undefined => {
      const key = JSON.stringify([place.namespace, place.key]);
      const entry =
        map.get(key) ?? (map.size < mostPlaces ? { act, place, name: nameOf(place, run), isGuess: true, ids: new Map() } : undefined);
      if (entry !== undefined) map.set(key, entry);
      return entry;
    };
    const note = (place: StateKey, stored: Stored | undefined, isGuess = false): void => {
      const value = noted(this.#values, place);
      if (value?.isGuess === true) Object.assign(value, { stored, isGuess });
    };
    return {
      get: async (place) => {
        const stored = await store.get(place);
        note(place, stored);
        return stored;
      },
      set: async (place, value, write) => {
        const version = await store.set(place, value, write);
        const { expected = 0 } = write;
        if (version !== undefined) note(place, expected > 0 ? { value: null, version: expected } : undefined);
        // The write was refused because the value must not exist, so it existed.
        else if (expected === 0) note(place, { value: null, version: 1 }, true);
        return version;
      },
      advance: async (place, value, ttl, signal) => {
        const stored = await store.advance(place, value, ttl, signal);
        note(place, JSON.stringify(stored.value) === JSON.stringify(value) ? undefined : stored);
        return stored;
      },
      delete: async (place, signal) => {
        const wasThere = await store.delete(place, signal);
        note(place, wasThere ? { value: null, version: 1 } : undefined);
        return wasThere;
      },
      seen: async (place, ids, remember) => {
        const fresh = await store.seen(place, ids, remember);
        const set = noted(this.#sets, place)?.ids;
        ids.forEach((id, i) => {
          if (set !== undefined && !set.has(id) && set.size <= mostIds) set.set(id, fresh[i] === false);
        });
        return fresh;
      },
      close: () => store.close(),
    };
  }

  /** The values, each under its key, since the key shows which values are secret. */
  get values(): readonly Json[] {
    return [...this.#values.values()].map(({ place, stored }) => ({ [place.key]: stored?.value ?? null }));
  }

  /** All values and identities that existed before the run, without secrets. */
  recorded(bounded: Bounded): readonly CapturedExchange[] {
    return [...this.#values.values(), ...this.#sets.values()].flatMap((found) => shown(found, bounded));
  }
}

function shown({ act, place: { namespace, key }, name, stored, ids }: Found, bounded: Bounded): CapturedExchange[] {
  const seen = [...ids].flatMap(([id, wasKnown]) => (wasKnown ? [id] : []));
  if (stored === undefined && seen.length === 0) return [];
  const state = bounded.text(name ?? `${namespace}.${key}`);
  const isHidden = name === undefined || ids.size > mostIds || (act !== undefined && hides(act));
  const [copy = null] = isHidden ? [] : Object.values(bounded.value({ [key]: stored === undefined ? seen : stored.value }) ?? {});
  if (isHidden || (stored === undefined && !Array.isArray(copy))) return [{ state, hidden: true }];
  if (stored === undefined) return [{ state, seen: copy }];
  return [{ state, value: copy, ...(stored.version === 1 ? {} : { version: stored.version }) }];
}

/** `KEY`, or `NAMESPACE.KEY`, which a test splits at the first dot. */
function nameOf({ namespace, key }: StateKey, { config }: Run): string | undefined {
  if (namespace === config.name && !key.includes(".")) return key;
  return namespace.includes(".") ? undefined : `${namespace}.${key}`;
}
