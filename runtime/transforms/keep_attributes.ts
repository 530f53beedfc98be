import { Failure } from "../failure.ts";
import type { Transform } from "../feature.ts";
import { isObject, type Json, type JsonObject, put, typeOf } from "../json.ts";
import { every, keysAt, type NodePath, nodePath, type PathStep, stepsIn } from "../lib/path.ts";

/** What is left of a path at some node. */
interface Trail {
  readonly steps: readonly PathStep[];
  readonly rooted: boolean;
  readonly depth: number;
}

/** What stays. `names`: the same as member names, when the paths are nothing else. */
interface Wanted {
  readonly paths: readonly NodePath[];
  readonly names: ReadonlySet<string> | undefined;
}

/** Stage 1. */
export function prepare(given: readonly (string | null)[]): Wanted {
  const paths = given.map(nodePath);
  const names = paths.flatMap(memberName);
  return { paths, names: names.length > 0 && names.length === paths.length ? new Set(names) : undefined };
}

/** The name, if a path is one plain name: digits could be an index, and `$` would not reach into the rows of a list. */
function memberName({ steps, rooted }: NodePath): readonly string[] {
  const [name] = steps;
  return steps.length === 1 && typeof name === "string" && !rooted && !/^\d+$/.test(name) ? [name] : [];
}

/**
 * Keeps what the paths match, with its ancestors, in its order; drops the rest, and the elements of arrays close up. Plain names on an
 * array are taken in each row. A row is never lost: one without any of the members stays as `{}`. Without any match the result is `{}` or
 * `[]`.
 */
export function keep_attributes(data: Json, { paths, names }: Wanted): Json {
  if (!Array.isArray(data) && !isObject(data)) throw new Failure("transform", `expected an object or array, found ${typeOf(data)}`);
  if (names !== undefined) return Array.isArray(data) ? data.map((row) => picked(row, names)) : picked(data, names);
  const trails = paths.map((path) => ({ steps: stepsIn(data, path), rooted: path.rooted, depth: 0 }));
  const rows = trails.some(({ steps }) => steps[0] === every);
  return kept(data, trails, rows) ?? emptied(data);
}

/** Ten times as fast as following trails. */
function picked(row: Json, names: ReadonlySet<string>): Json {
  if (!isObject(row)) return emptied(row);
  const out: JsonObject = {};
  for (const key in row) if (names.has(key)) put(out, key, row[key] ?? null);
  return out;
}

/** The part of a node that the trails lead to; undefined when they lead nowhere. `rows`: its elements are rows, which stay. */
function kept(node: Json, trails: readonly Trail[], rows = false): Json | undefined {
  if (trails.some(({ steps, depth }) => depth === steps.length)) return node;
  const onward = followed(node, trails);
  if (Array.isArray(node)) return keptElements(node, onward, rows);
  return isObject(node) ? keptMembers(node, onward) : undefined;
}

/** For each child that a trail names: the trails that go on in it. */
function followed(node: Json, trails: readonly Trail[]): ReadonlyMap<string | number, readonly Trail[]> {
  const onward = new Map<string | number, Trail[]>();
  for (const { steps, rooted, depth } of trails) {
    const step = steps[depth];
    if (step === undefined) continue;
    for (const key of keysAt(node, step, rooted)) {
      const there = onward.get(key) ?? [];
      there.push({ steps, rooted, depth: depth + 1 });
      onward.set(key, there);
    }
  }
  return onward;
}

function keptElements(list: readonly Json[], onward: ReadonlyMap<string | number, readonly Trail[]>, rows: boolean): Json[] | undefined {
  const out: Json[] = [];
  for (const [index, item] of list.entries()) {
    const part = kept(item, onward.get(index) ?? []) ?? (rows ? emptied(item) : undefined);
    if (part !== undefined) out.push(part);
  }
  return out.length > 0 ? out : undefined;
}

function keptMembers(object: JsonObject, onward: ReadonlyMap<string | number, readonly Trail[]>): JsonObject | undefined {
  const out: JsonObject = {};
  for (const [key, value] of Object.entries(object)) {
    const part = kept(value, onward.get(key) ?? []);
    if (part !== undefined) put(out, key, part);
  }
  return Object.keys(out).length > 0 ? out : undefined;
}

const emptied = (node: Json): Json => (Array.isArray(node) ? [] : {});

export const spec: Transform<readonly (string | null)[], Wanted> = {
  summary: "Keep only the named members, of the data or of every row of a list.",
  schema: {
    type: "array",
    items: { type: "string", context: "path", description: "Path of what stays, such as `id`, `address.city` or `$.items[*].name`." },
    description: "Paths of what stays; everything else is dropped.",
  },
  effect: "pure",
  prepare,
  run: keep_attributes,
};
