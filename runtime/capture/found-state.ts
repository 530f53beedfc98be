import type { Act, Run } from "../run/run.ts";
import type { StateKey, StateStore, Stored } from "../state/store.ts";
import type { Json } from "../value/json.ts";
import type { Bounded } from "./bounded.ts";
import { hides } from "./hides.ts";
import type { CapturedExchange } from "./recording.ts";

/** Places that are kept, and identities of one set. */
const mostPlaces = 50;
const mostIds = 1_000;

/** A value or a set as it was before the run: what the run has written itself is not found. */
interface Found {
  readonly act: Act | undefined;
  readonly place: StateKey;
  /** The name in a test; undefined where a test cannot write it. */
  readonly name: string | undefined;
  /** Undefined: there was none, or nobody needs to know. */
  stored?: Stored | undefined;
  /** Nothing but that it was there is known of the value. */
  isGuess?: boolean;
  /** Whether a set held an identity. */
  readonly ids: Map<string, boolean>;
}

/** The durable state as a run has found it. */
export class FoundState {
  readonly #values = new Map<string, Found>();
  readonly #sets = new Map<string, Found>();

  /** The store, whose answers are noted. */
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
        // A value that must not exist was there.
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

  /** The values and identities, under their names: the names say which are secret. */
  get values(): readonly Json[] {
    return [...this.#values.values()].map(({ place, stored }) => ({ [place.key]: stored?.value ?? null }));
  }

  /** All that was there, without secrets. */
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
