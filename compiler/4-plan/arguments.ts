import type { JsonSchema } from "#runtime/feature.ts";
import { isObject, type Json, put } from "#runtime/json.ts";
import type { Expr, Span } from "#runtime/plan.ts";
import type { Entry, Node } from "../1-read/document.ts";
import type { Finding, Report } from "../diagnostics/diagnostic.ts";
import { refusal, type Stages } from "./stage.ts";
import { fieldOf, standIn, standIns } from "./stand-ins.ts";

/**
 * Runs stage 1 of a feature on its arguments, as far as they are written (transforms.md 2.2), and reports what it refuses at the scalar that is to
 * blame: an option that is a marker is checked at run time instead.
 */
export function checkArguments(feature: Stages & { readonly schema: JsonSchema }, args: Expr, node: Node, report: Report): void {
  const samples = args.op === "lit" ? [args.value] : standIns(args, feature.schema);
  const [sample] = samples;
  if (sample === undefined) return;
  // The schema has vouched for what is written. What is made up may be of a kind that stage 1 never gets: then nothing can be said.
  const refusals = args.op === "lit" ? [refusal(feature, sample)] : samples.map((one) => said(feature, one)?.finding);
  const [first] = refusals;
  if (first === undefined || refusals.includes(undefined)) return;
  const isSound = (value: Json): boolean => said(feature, value) === undefined;
  report(first, culprit(node, sample, feature.schema, isSound));
}

/** What stage 1 says of made-up arguments; undefined when it takes them. */
function said(feature: Stages, args: Json): { readonly finding: Finding | undefined } | undefined {
  try {
    const finding = refusal(feature, args);
    return finding && { finding };
  } catch {
    return { finding: undefined };
  }
}

/** The first part without which, or with something plausible in its place, the arguments are sound; the whole when no single part makes the difference. */
function culprit(node: Node, value: Json, schema: JsonSchema, isSound: (value: Json) => boolean): Span {
  if (node.kind === "list" && Array.isArray(value)) {
    const at = value.findIndex((_, i) => isSound(value.toSpliced(i, 1)));
    const item = node.items[at];
    if (item !== undefined) return culprit(item, value[at] ?? null, schema.items ?? {}, (other) => isSound(value.with(at, other)));
  }
  if (node.kind === "map" && isObject(value)) {
    const names = Object.keys(value);
    for (const [i, entry] of node.entries.entries()) {
      // A key with markers has another name in made-up arguments.
      const name = names.includes(entry.key) ? entry.key : names[i];
      const span = name === undefined ? undefined : culpritIn(entry, name, value, schema, isSound);
      if (span !== undefined) return span;
    }
  }
  return node.span;
}

function culpritIn(
  { keySpan, value: node }: Entry,
  key: string,
  value: Readonly<Record<string, Json>>,
  schema: JsonSchema,
  isSound: (value: Json) => boolean,
): Span | undefined {
  const field = fieldOf(schema, key);
  const among = (other: Json | undefined): boolean => isSound(replaced(value, key, other));
  if (among(standIn(field ?? {}))) return culprit(node, value[key] ?? null, field ?? {}, among);
  if (!among(undefined)) return undefined;
  // In a map of free keys the key is a path, too.
  return field === undefined ? keySpan : node.span;
}

/** The members in their order, one of them changed or, when undefined takes its place, left out. */
function replaced(value: Readonly<Record<string, Json>>, key: string, other: Json | undefined): Json {
  const out: Record<string, Json> = {};
  for (const name of Object.keys(value)) {
    const kept = name === key ? other : value[name];
    if (kept !== undefined) put(out, name, kept);
  }
  return out;
}
