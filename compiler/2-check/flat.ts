import type { ErrorObject } from "ajv/dist/2020.js";
import type { JsonSchema } from "#runtime/features/feature.ts";
import { type Entry, isNull, type MapNode, type Node } from "../1-read/document.ts";
import { shape } from "../diagnostics/codes/file.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import { nearest } from "../diagnostics/nearest.ts";
import { formsOf } from "./forms.ts";
import { placeOf } from "./place.ts";
import { change } from "./rewrite.ts";
import { type Language, typesOf } from "./schema.ts";
import type { Definitions } from "./shapes.ts";

/**
 * The tree in which unknown keys are moved below the key before them, when that key has no value and its record has such keys: the author
 * indented them too little. One mistake is reported, and the keys are checked where they were meant to be. `errors` are the errors of the
 * tree as it is written.
 */
export function unflattened(errors: readonly ErrorObject[], root: Node, language: Language, report: Report): Node {
  const unknown = errors.filter(({ keyword }) => keyword === "additionalProperties");
  let mended = root;
  for (const [pointer, group] of Map.groupBy(unknown, ({ instancePath }) => instancePath)) {
    const { node } = placeOf(pointer, mended, language);
    const record = (group[0]?.parentSchema ?? {}) as JsonSchema; // the validator was made of our schemas, without their references
    const { properties = {} } = language.definitions[record.title ?? ""] ?? record;
    const keys = new Set(group.map(({ params }) => String(params.additionalProperty)));
    if (node.kind !== "map") continue;
    const ownKeys = new Set(node.entries.map(({ key }) => key));
    if (![...keys].every((key) => ownKeys.has(key))) continue;
    const inside = withRunsInside(node, keys, properties, language.definitions, report);
    if (inside !== node) mended = at(mended, pointer.split("/").slice(1), inside);
  }
  return mended;
}

function withRunsInside(
  node: MapNode,
  unknown: ReadonlySet<string>,
  properties: NonNullable<JsonSchema["properties"]>,
  definitions: Definitions,
  report: Report,
): MapNode {
  const names = Object.keys(properties);
  const entries: Entry[] = [];
  for (let i = 0; i < node.entries.length; i++) {
    const head = node.entries[i];
    if (head === undefined) break;
    const knows = isNull(head.value) && Object.hasOwn(properties, head.key) ? keysOf(properties[head.key] ?? {}, definitions) : undefined;
    const run = knows === undefined ? [] : runOf(node.entries.slice(i + 1), unknown, knows, names);
    const [first, last] = [run[0], run.at(-1)];
    if (first === undefined || last === undefined) {
      entries.push(head);
      continue;
    }
    const keys = run.map(({ key }) => key);
    report(shape.flatKeys(head.key, keys), first.keySpan);
    const span = { ...head.value.span, start: first.keySpan.start, end: last.value.span.end };
    entries.push({ ...head, value: { kind: "map", span, entries: run } });
    i += run.length;
  }
  return entries.length === node.entries.length ? node : { ...node, entries };
}

/**
 * The first entries of a list, as far as they were meant for the record before them: the record has their keys, and the last of them is
 * unknown in its place.
 */
function runOf(rest: readonly Entry[], unknown: ReadonlySet<string>, { has, isFree }: Keys, names: readonly string[]): readonly Entry[] {
  const takes = ({ key }: Entry): boolean => has(key) || (isFree && unknown.has(key) && nearest(key, names) === undefined);
  const end = rest.findIndex((one) => !takes(one));
  const taken = end < 0 ? rest : rest.slice(0, end);
  return taken.slice(0, taken.findLastIndex(({ key }) => unknown.has(key)) + 1);
}

interface Keys {
  readonly has: (key: string) => boolean;
  /** True when it takes any key. */
  readonly isFree: boolean;
}

/** The keys that a value of this schema may have. */
function keysOf(schema: JsonSchema, definitions: Definitions): Keys {
  const forms = formsOf(schema, definitions).filter((form) => {
    const types = typesOf(form, definitions);
    return types.length === 0 || types.includes("object");
  });
  return {
    has: (key) => forms.some(({ properties = {} }) => Object.hasOwn(properties, key)),
    isFree: forms.some(({ properties, additionalProperties }) => properties === undefined && additionalProperties !== false),
  };
}

/** The tree with another node at the end of the way. */
function at(node: Node, [first, ...rest]: readonly string[], by: Node): Node {
  if (first === undefined) return by;
  const key = first.replaceAll("~1", "/").replaceAll("~0", "~");
  if (node.kind !== "list") return change(node, key, (value) => at(value, rest, by));
  return { ...node, items: node.items.map((item, i) => (i === Number(key) ? at(item, rest, by) : item)) };
}
