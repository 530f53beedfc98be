import type { InterfacePlan, Step } from "#runtime/plan/index.ts";
import type { Request } from "#runtime/run/received.ts";
import { isObject, type Json, type JsonObject, put } from "#runtime/value/json.ts";

/** The parts of a request that an interface reads, as steps below `body`, `params` and `headers`. */
type Reads = Readonly<Record<"body" | "params" | "headers", readonly (readonly Step[])[]>>;

/**
 * Requests for an interface without written cases. Each request gives one kind of value to every name that the plan reads; the first
 * request is empty.
 */
export function requestsOf(plan: InterfacePlan): readonly Partial<Request>[] {
  const reads = readsOf(plan);
  const kinds: readonly Json[] = ["text", "a@b.org", 7, true, null, [1, "x"], { a: 1 }, "'; DROP TABLE users; --\r\n\"<é"];
  const filled = kinds.map((value): Partial<Request> => {
    const body = object(reads.body, value);
    return { body, raw_body: JSON.stringify(body), params: object(reads.params, text(value)), headers: object(reads.headers, text(value)) };
  });
  return [{}, ...filled];
}

/** The paths that a plan reads. A plan is plain data, so that a search through all of it finds every expression. */
function readsOf(plan: InterfacePlan): Reads {
  const found = { body: [], params: [], headers: [] } satisfies Record<keyof Reads, (readonly Step[])[]>;
  collect(JSON.parse(JSON.stringify(plan)), found);
  return found;
}

function collect(value: Json, found: Record<keyof Reads, (readonly Step[])[]>): void {
  if (Array.isArray(value)) for (const item of value) collect(item, found);
  if (!isObject(value)) return;
  const { of, path } = value;
  // The op `at` over a root; its path is a list of steps.
  if (value.op === "at" && isObject(of) && of.op === "root" && isPart(of.root)) found[of.root].push(path as Step[]);
  for (const item of Object.values(value)) collect(item, found);
}

const isPart = (root: Json | undefined): root is keyof Reads => root === "body" || root === "params" || root === "headers";

/** An object in which every path leads to the value. An index in a path becomes a key like any other step. */
function object(paths: readonly (readonly Step[])[], value: Json): JsonObject {
  const out: JsonObject = {};
  for (const path of paths) fill(out, path, value);
  return out;
}

function fill(target: JsonObject, [first, ...rest]: readonly Step[], value: Json): void {
  if (first === undefined) return;
  const key = String(first);
  const there = Object.hasOwn(target, key) ? target[key] : undefined;
  if (rest.length === 0) {
    if (there === undefined) put(target, key, value);
    return;
  }
  const inner = isObject(there) ? there : {};
  fill(inner, rest, value);
  put(target, key, inner);
}

/** A value as the text of a parameter or header. */
const text = (value: Json): string => (typeof value === "string" ? value.replace(/[\r\n]/g, " ") : JSON.stringify(value));
