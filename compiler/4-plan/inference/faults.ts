import type { JsonSchema } from "#runtime/features/feature.ts";
import type { Span } from "#runtime/plan/index.ts";
import { isObject, type Json, put } from "#runtime/value/json.ts";
import type { Node } from "../../1-read/document.ts";
import { hasMarker } from "../../1-read/markers/markers.ts";
import type { Finding } from "../../diagnostics/diagnostic.ts";
import { fieldOf, standIn } from "./stand-ins.ts";

/** Runs stage 1 on arguments: undefined when it accepts them. */
export type Judge = (args: Json) => { readonly finding: Finding | undefined } | undefined;

interface Fault {
  readonly finding: Finding;
  readonly span: Span;
}

/**
 * Finds the wrong part of refused arguments. It is the first part whose removal, or replacement by something plausible, makes the arguments
 * right. Without such a part, it is every part that is refused although all others are plausible. Otherwise the arguments are wrong as a
 * whole.
 */
export function faults(node: Node, args: Json, schema: JsonSchema, judge: Judge): readonly Fault[] {
  const finding = judge(args)?.finding;
  if (finding === undefined) return [];
  const parts = partsOf(node, args, schema);
  const judged = (members: readonly Member[]): ReturnType<Judge> => judge(assembled(args, members));
  for (const part of parts) {
    const among = (other: Json | undefined): ReturnType<Judge> => judged(parts.map((one) => [one.name, one === part ? other : one.value]));
    if (among(part.usual) === undefined) return faults(part.node, part.value, part.schema, among);
    if (among(undefined) === undefined) return [{ finding, span: part.span }];
  }
  const plausible = parts.map((one, i): Member => [one.isFree ? `a${i}` : one.name, one.usual]);
  const several =
    judged(plausible) === undefined
      ? parts.flatMap((part, i) => faultsAlone(part, (other) => judged(plausible.with(i, [part.name, other]))))
      : [];
  return several.length > 0 ? several : [{ finding, span: node.span }];
}

function faultsAlone(part: ArgumentPart, judge: Judge): readonly Fault[] {
  const finding = judge(part.value)?.finding;
  // The part is refused even with a plausible value, so its key is wrong.
  if (finding !== undefined && judge(part.usual) !== undefined) return [{ finding, span: part.span }];
  return faults(part.node, part.value, part.schema, judge);
}

/** An element of a list, or a member of a record or of a map of free keys. */
interface ArgumentPart {
  readonly name: string;
  readonly isFree: boolean;
  readonly node: Node;
  /** The place to name when the part as a whole is wrong. */
  readonly span: Span;
  readonly schema: JsonSchema;
  readonly value: Json;
  /** A plausible value for the part. */
  readonly usual: Json;
}

function partsOf(node: Node, args: Json, schema: JsonSchema): readonly ArgumentPart[] {
  if (node.kind === "list" && Array.isArray(args)) return node.items.flatMap((item, i) => elementOf(item, args[i], schema.items ?? {}));
  return node.kind === "map" && isObject(args) ? membersOf(node, args, schema) : [];
}

function elementOf(node: Node, value: Json | undefined, schema: JsonSchema): readonly ArgumentPart[] {
  return value === undefined ? [] : [{ name: "", isFree: false, node, span: node.span, schema, value, usual: standIn(schema) }];
}

function membersOf(
  { entries }: Node & { readonly kind: "map" },
  args: Readonly<Record<string, Json>>,
  schema: JsonSchema,
): readonly ArgumentPart[] {
  const names = Object.keys(args);
  return entries.flatMap(({ key, keySpan, value: node }, i): ArgumentPart[] => {
    // A key with markers has another name in made-up arguments.
    const name = hasMarker(key) && names.length === entries.length ? names[i] : key;
    const value = name === undefined || !Object.hasOwn(args, name) ? undefined : args[name];
    if (name === undefined || value === undefined) return [];
    const field = fieldOf(schema, name);
    const span = field === undefined ? keySpan : node.span;
    return [{ name, isFree: field === undefined, node, span, schema: field ?? {}, value, usual: standIn(field ?? {}) }];
  });
}

/** The name of a part and its value; a part with the value undefined is left out. */
type Member = readonly [string, Json | undefined];

function assembled(like: Json, members: readonly Member[]): Json {
  if (Array.isArray(like)) return members.flatMap(([, value]) => (value === undefined ? [] : [value]));
  const out: Record<string, Json> = {};
  for (const [name, value] of members) if (value !== undefined) put(out, name, value);
  return out;
}
