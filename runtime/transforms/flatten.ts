import { Failure } from "../failure.ts";
import type { Transform } from "../feature.ts";
import { isObject, type Json, type JsonObject, put, typeOf } from "../json.ts";
import { eachNode, placeOf, presentNodes } from "../lib/each-node.ts";
import { container } from "../lib/nodes-mask.ts";
import { type NodePath, nodePath } from "../lib/path.ts";

/** Null is what an unset marker leaves: the field is absent. */
interface Args {
  readonly key_separator: string;
  readonly prefix?: string | null;
  readonly target?: string | null;
}

interface Ready {
  readonly separator: string;
  /** What every name starts with. */
  readonly start: string;
  readonly target: NodePath | undefined;
}

/** Stage 1. An empty prefix is none. */
export function prepare({ key_separator: separator, prefix, target }: Args): Ready {
  const start = (prefix ?? "") === "" ? "" : `${prefix}${separator}`;
  return { separator, start, target: (target ?? null) === null ? undefined : nodePath(target ?? null) };
}

/**
 * Brings nested objects and arrays to one level: their names and indexes are joined, and empty ones stay as values. Of two with one name
 * the later wins. Each row of an array is flattened on its own; rows that are scalars stay. With a target only what is there is flattened.
 */
export function flatten(data: Json, { separator, start, target }: Ready): Json {
  const root = container(data);
  if (target === undefined) return flat(root, separator, start);
  presentNodes(data, target);
  return eachNode(data, target, (node) => {
    if (Array.isArray(node) || isObject(node)) return flat(node, separator, start);
    throw new Failure("transform", `expected an object${placeOf(target)}, found ${typeOf(node)}`);
  });
}

function flat(node: Json, separator: string, start: string): Json {
  if (Array.isArray(node)) return node.map((row) => flat(row, separator, start));
  if (!isObject(node)) return node;
  const out: JsonObject = {};
  spread(node, start, separator, out);
  return out;
}

function spread(node: JsonObject | Json[], start: string, separator: string, out: JsonObject): void {
  for (const [key, value] of Object.entries(node)) {
    const name = `${start}${key}`;
    if (isFilled(value)) spread(value, `${name}${separator}`, separator, out);
    else put(out, name, value);
  }
}

const isFilled = (value: Json): value is JsonObject | Json[] =>
  typeof value === "object" && value !== null && (Array.isArray(value) ? value.length > 0 : Object.keys(value).length > 0);

export const spec: Transform<Args, Ready> = {
  summary: "Bring nested members to one level, with joined names.",
  schema: {
    type: "object",
    required: ["key_separator"],
    additionalProperties: false,
    properties: {
      key_separator: { type: "string", description: "What stands between the joined names." },
      prefix: { type: "string", description: "First part of every name, followed by the separator." },
      target: { type: "string", context: "path", description: "Path of what is flattened in its place. Default: the data." },
    },
  },
  effect: "pure",
  prepare,
  run: flatten,
};
