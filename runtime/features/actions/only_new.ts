import { touches } from "../../outgoing/touches.ts";
import type { Act } from "../../run/run.ts";
import { argument } from "../../shapes/arguments.ts";
import { array, byType } from "../../shapes/shape.ts";
import { stateFor } from "../../state/open.ts";
import { checkName, identity, seenCap } from "../../state/store.ts";
import { Failure } from "../../value/failure.ts";
import { isObject, type Json, own, typeOf } from "../../value/json.ts";
import { text } from "../../value/values.ts";
import type { Action } from "../feature.ts";

/**
 * Null means unset, as for every field that held a marker. `records` are the data of the action, `id` the names that lead to an identity.
 */
export interface OnlyNewArgs {
  readonly records: Json;
  readonly id?: readonly string[];
  /** The identities, where a filter gives them: for each record the outputs of the filter. */
  readonly identities?: Json;
  readonly key: string | null;
  readonly namespace?: string | null;
  /** Milliseconds. */
  readonly ttl?: number | null;
  readonly skip_when_empty?: boolean | null;
}

/**
 * Keeps the records whose identity is new, and stores the identities before another action sees the records (spec/transforms 8). A single
 * value counts as a list of one; a record whose identity is missing or null always passes. When no record is left, this action and the
 * actions that need it are skipped.
 */
export async function only_new(
  act: Act,
  { records, id = ["id"], identities, key, namespace, ttl, skip_when_empty }: OnlyNewArgs,
): Promise<Json> {
  const set = { namespace: namespace ?? act.run.config.name, key: key ?? "" };
  if (key === null) throw new Failure("evaluation", "field key: expected string, got null");
  checkName("key", set.key);
  checkName("namespace", set.namespace);
  touches(act.run, { kind: "state", name: set.key, of: set.namespace, verb: "seen" });
  const list = Array.isArray(records) ? records : [records];
  if (list.length > mostRecords) throw new Failure("state", `only_new takes at most ${mostRecords} records, got ${list.length}`);
  const ids = Array.isArray(identities) ? identities.map(singleOf) : list.map((record) => identityOf(record, id));
  const present = ids.filter((each) => each !== null);
  act.signal.throwIfAborted();
  // A durable run may repeat the action when the identities were stored but not its outcome.
  const remember = { ttl: ttl ?? undefined, cap: seenCap, mark: act.run.journal?.mark(act), signal: act.signal };
  const fresh = present.length === 0 ? [] : await stateFor(act.run, act).seen(set, present, remember);
  let next = 0;
  const left = list.filter((_, i) => ids[i] === null || fresh[next++] === true);
  if (left.length === 0 && skip_when_empty !== false) act.drop();
  return left;
}

/** Records of one action: a store looks at all of them in one step, in which no other request is served. */
const mostRecords = 100_000;

/** The identity that a filter gives: without an output there is none, and several outputs are one identity that is a list. */
function singleOf(outputs: Json): string | null {
  const [only = null, ...more] = Array.isArray(outputs) ? outputs : [];
  return nameOf(more.length === 0 ? only : outputs);
}

/** The text of an identity: a number and its text are the same. Null means that there is none. */
const nameOf = (value: Json): string | null => (value === null ? null : identity(text(value)));

function identityOf(record: Json, path: readonly string[]): string | null {
  let here = record;
  for (const name of path) {
    if (here === null) return null;
    if (!isObject(here)) throw new Failure("evaluation", `interpolation only_new: jq: Cannot index ${typeOf(here)} with "${name}"`);
    here = own(here, name) ?? null;
  }
  return nameOf(here);
}

export const spec: Action<OnlyNewArgs> = {
  summary: "Keep only records that were not seen before.",
  effect: "state",
  needs: "state",
  written: "part",
  origin: "data",
  bounds: "100,000 records",
  schema: {
    type: "object",
    required: ["key"],
    additionalProperties: false,
    properties: {
      id: { type: "string", context: "jq", default: ".id", description: "jq filter that gives the identity of a record." },
      key: { type: "string", description: "Name of the set of identities; actions with one key share it." },
      namespace: { type: "string", description: "Namespace of the set, by default the name of the configuration." },
      ttl: {
        type: ["string", "number"],
        format: "duration",
        description: "How long an identity is remembered; by default until 5,000 newer ones have come.",
      },
      skip_when_empty: { type: "boolean", default: true, description: "Skip the action and those that need it when nothing is new." },
    },
  },
  run: only_new,
  shape: (args) => byType(argument(args, "records"), (one) => (one.type === "array" ? one : array(one))),
};
