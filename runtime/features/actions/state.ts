import { touches } from "../../outgoing/touches.ts";
import type { Act } from "../../run/run.ts";
import { memberAt } from "../../shapes/edit.ts";
import { any, boolean, byType, isNever, nothing, number, object, type Shape, union } from "../../shapes/shape.ts";
import { loadState } from "../../state/load.ts";
import { stateFor } from "../../state/open.ts";
import { checkName, identity, type StateKey, seenCap } from "../../state/store.ts";
import { Failure } from "../../value/failure.ts";
import type { Json } from "../../value/json.ts";
import { needed, text } from "../../value/values.ts";
import type { Action, JsonSchema } from "../feature.ts";

/** Null means unset, as for every field that held a marker. */
interface Operation {
  readonly key: Json;
  readonly namespace?: string | null;
}

/** Times in milliseconds. */
interface Lasting extends Operation {
  readonly ttl?: number | null;
}

/** Exactly one operation (PW405). The compiler adds `load`: the names that markers of the attempt read. */
export interface StateArgs {
  readonly get?: Operation & { readonly default?: Json };
  readonly set?: Lasting & { readonly value?: Json; readonly expected_version?: number | null };
  readonly advance?: Lasting & { readonly value?: Json };
  readonly delete?: Operation;
  readonly load?: readonly string[];
  readonly seen?: Lasting & { readonly id?: Json };
}

/** One operation on the durable state (spec/language 5.3, spec/surfaces 12). A conflict fails with status 409. */
export async function state(act: Act, { load = [], get, set, advance, delete: remove, seen }: StateArgs): Promise<Json> {
  const store = stateFor(act.run, act);
  if (get !== undefined) {
    const entry = await store.get(placeOf(get, "get", act));
    return entry === undefined ? { value: get.default ?? null, version: 0, found: false } : { ...entry, found: true };
  }
  if (set !== undefined) {
    const place = placeOf(set, "set", act);
    const lock = set.expected_version;
    // A caller who leaves the version out would overwrite what others have written.
    const expected = lock === undefined ? undefined : needed(lock, "expected_version", "integer");
    const write = { ttl: set.ttl ?? undefined, expected, signal: act.signal };
    const version = await store.set(place, set.value ?? null, write);
    if (version === undefined) throw new Failure("state", `state conflict on '${place.key}'`, { status: 409 });
    return { version };
  }
  if (advance !== undefined) {
    const { version, value } = await store.advance(
      placeOf(advance, "advance", act),
      advance.value ?? null,
      advance.ttl ?? undefined,
      act.signal,
    );
    return { version, value };
  }
  if (remove !== undefined) return { deleted: await store.delete(placeOf(remove, "delete", act), act.signal) };
  if (seen === undefined) {
    await Promise.all(load.map(async (name) => act.run.keep(name, await loadState(name, act.run, act))));
    act.throwIfCancelled();
    return null;
  }
  const id = identity(given(seen.id ?? null, "id"));
  const remember = { ttl: seen.ttl ?? undefined, cap: seenCap, mark: act.run.journal?.mark(act), signal: act.signal };
  const [was_new = false] = await store.seen(placeOf(seen, "seen", act), [id], remember);
  return { was_new };
}

function placeOf({ key, namespace }: Operation, verb: string, act: Act): StateKey {
  const place = { namespace: namespace ?? act.run.config.name, key: given(key, "key") };
  checkName("key", place.key);
  checkName("namespace", place.namespace);
  touches(act.run, { kind: "state", name: place.key, of: place.namespace, verb });
  return place;
}

/** Keys and identities are text: 1 and "1" are the same. */
function given(value: Json, field: string): string {
  return text(needed(value, field, "string"));
}

const key: JsonSchema = { description: "Key of the value, as text.", context: "text" };
const namespace: JsonSchema = { type: "string", description: "Namespace of the key, by default the name of the configuration." };
const ttl: JsonSchema = { type: ["string", "number"], format: "duration", description: "How long it is kept; by default for ever." };

function shape(args: Shape): Shape {
  const results: Readonly<Record<string, Shape>> = {
    get: object({ value: any, version: number, found: boolean }),
    set: object({ version: number }),
    advance: object({ version: number, value: any }),
    delete: object({ deleted: boolean }),
    seen: object({ was_new: boolean }),
  };
  return byType(args, (given) => {
    if (given.type !== "object") return any;
    const operations = Object.entries(results).filter(([name]) => !isNever(memberAt(given, name).shape));
    const [only, ...others] = operations.map(([, result]) => result);
    if (only === undefined) return nothing;
    return others.length === 0 ? only : union(...operations.map(([, result]) => result), nothing);
  });
}

export const spec: Action<StateArgs> = {
  summary: "Read or write durable state.",
  effect: "state",
  needs: "state",
  reveals: { state: [["set"], ["advance"], ["seen", "id"]] },
  schema: {
    type: "object",
    whole: true,
    additionalProperties: false,
    properties: {
      get: {
        title: "StateGet",
        type: "object",
        required: ["key"],
        additionalProperties: false,
        description: "Read a value: {value, version, found}.",
        properties: { key, namespace, default: { description: "Value when there is none." } },
      },
      set: {
        title: "StateSet",
        type: "object",
        required: ["key"],
        additionalProperties: false,
        description: "Write a value: {version}.",
        properties: {
          key,
          namespace,
          value: { description: "The value." },
          ttl,
          expected_version: {
            type: "integer",
            minimum: 0,
            description: "Version that the value must have now (0: none), else the write fails with 409.",
          },
        },
      },
      advance: {
        title: "StateAdvance",
        type: "object",
        required: ["key"],
        additionalProperties: false,
        description: "Raise a value, never lower it: {version, value}.",
        properties: {
          key,
          namespace,
          value: { description: "Stored if it is greater: numbers are compared as numbers, all else as text." },
          ttl,
        },
      },
      delete: {
        title: "StateDelete",
        type: "object",
        required: ["key"],
        additionalProperties: false,
        description: "Delete a value: {deleted}.",
        properties: { key, namespace },
      },
      seen: {
        title: "StateSeen",
        type: "object",
        required: ["key", "id"],
        additionalProperties: false,
        description: "Remember an identity: {was_new}.",
        properties: {
          key: { description: "Name of the set of identities.", context: "text" },
          namespace,
          id: { description: "The identity, as text.", context: "text" },
          ttl: {
            type: ["string", "number"],
            format: "duration",
            description: "How long an identity is remembered; by default until 5,000 newer ones have come.",
          },
        },
      },
    },
  },
  run: state,
  shape,
};
