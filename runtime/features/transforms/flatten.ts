import { eachNodeWork, Long, placeOf, presentWork } from "../../paths/each-node.ts";
import { container } from "../../paths/nodes-mask.ts";
import { type NodePath, nodePath } from "../../paths/path.ts";
import { argument, onlyValue, pathIn, placesOf } from "../../shapes/arguments.ts";
import { containersOf } from "../../shapes/edit.ts";
import { flatShape } from "../../shapes/flat.ts";
import { changedAt } from "../../shapes/place.ts";
import { any, anyArray, anyObject, byType, type Shape } from "../../shapes/shape.ts";
import { inSlices, type Work, type WorkOwner } from "../../threads/slices.ts";
import { Failure } from "../../value/failure.ts";
import { isObject, type Json, type JsonObject, put, typeOf } from "../../value/json.ts";
import { boundedName } from "../../value/too-large.ts";
import type { ShapedArguments, Transform } from "../feature.ts";

/** Null is what an unset marker leaves: the field is absent. */
interface Args {
  readonly key_separator: string;
  readonly prefix?: string | null;
  readonly target?: string | null;
}

interface Ready {
  readonly separator: string;
  /** The beginning of every name. */
  readonly start: string;
  readonly target: NodePath | undefined;
}

/** Stage 1. An empty prefix is none. */
export function prepare({ key_separator: separator, prefix, target }: Args): Ready {
  const start = (prefix ?? "") === "" ? "" : `${prefix}${separator}`;
  return { separator, start, target: (target ?? null) === null ? undefined : nodePath(target ?? null) };
}

/**
 * Brings nested objects and arrays to one level: their names and indexes are joined, and empty ones stay as values. When two members get
 * the same name, the later one wins. Each row of an array is flattened on its own; rows that are scalars stay. With a target only the value
 * at that path is flattened.
 */
export function flatten(data: Json, { separator, start, target }: Ready, act: WorkOwner): Json | Promise<Json> {
  const root = container(data);
  const flattening: Flattening = { separator, start, members: 0, length: 0 };
  return inSlices(target === undefined ? flat(root, flattening) : flatAt(data, target, flattening), act);
}

function* flatAt(data: Json, target: NodePath, flattening: Flattening): Work<Json> {
  yield* presentWork(data, target);
  return yield* eachNodeWork(data, target, (node) => {
    if (Array.isArray(node) || isObject(node)) return new Long(flat(node, flattening));
    throw new Failure("transform", `expected an object${placeOf(target)}, found ${typeOf(node)}`);
  });
}

/** The state of one flattening: how names are joined, the members written so far, and the characters of their names. */
interface Flattening {
  readonly separator: string;
  readonly start: string;
  members: number;
  length: number;
}

/** Characters of all names: where long names lie inside of each other, ten megabytes of data would become gigabytes of them. */
const longest = 67_108_864;

/** Members and rows that are written in about a millisecond. */
const membersOfSlice = 1_000;

function* flat(node: Json, flattening: Flattening): Work<Json> {
  if (Array.isArray(node)) {
    const rows: Json[] = [];
    for (const row of node) {
      rows.push(typeof row === "object" && row !== null ? yield* flat(row, flattening) : row);
      if (rows.length % membersOfSlice === 0) yield;
    }
    return rows;
  }
  if (!isObject(node)) return node;
  const out: JsonObject = {};
  yield* spread(node, flattening.start, flattening, out);
  return out;
}

function* spread(node: JsonObject | Json[], start: string, flattening: Flattening, out: JsonObject): Work<void> {
  for (const [key, value] of Object.entries(node)) {
    const name = `${start}${key}`;
    if (isFilled(value)) yield* spread(value, `${name}${flattening.separator}`, flattening, out);
    else {
      flattening.length += name.length;
      if (flattening.length > longest) throw new Failure("transform", `names are over the limit of ${longest} characters`);
      put(out, boundedName(name), value);
      if (++flattening.members % membersOfSlice === 0) yield;
    }
  }
}

const isFilled = (value: Json): value is JsonObject | Json[] =>
  typeof value === "object" && value !== null && (Array.isArray(value) ? value.length > 0 : Object.keys(value).length > 0);

function shape(data: Shape, { shape: args }: ShapedArguments<Args>): Shape {
  const [separator, prefix] = [onlyValue(argument(args, "key_separator")), onlyValue(argument(args, "prefix"))];
  const give = (node: Shape): Shape => {
    const inside = containersOf(node);
    if (typeof separator === "string" && (prefix === null || typeof prefix === "string"))
      return flatShape(inside, separator, prefix ? `${prefix}${separator}` : "");
    return byType(inside, ({ type }) => (type === "array" ? anyArray : anyObject));
  };
  const target = argument(args, "target");
  if (onlyValue(target) === null) return give(data);
  const path = pathIn(target);
  return path === undefined ? any : changedAt(containersOf(data), { path, must: true, give });
}

export const spec: Transform<Args, Ready> = {
  summary: "Bring nested members to one level, with joined names.",
  schema: {
    type: "object",
    required: ["key_separator"],
    additionalProperties: false,
    properties: {
      key_separator: { type: "string", description: "The text between the joined names." },
      prefix: { type: "string", description: "First part of every name, followed by the separator." },
      target: { type: "string", context: "path", description: "Path of what is flattened in its place. Default: the data." },
    },
  },
  bounds: "67,108,864 characters of all names, 16,383 of one",
  effect: "pure",
  async: true,
  prepare,
  run: flatten,
  shape,
  expects: ({ target }) => placesOf([target]),
};
