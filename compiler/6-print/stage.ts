import type { Expr, Span } from "#runtime/plan/index.ts";
import type { Json } from "#runtime/value/json.ts";
import { argumentAt, type FilterExpr, filterArgument } from "../jq/print/argument.ts";
import { type Code, code, list, regexp } from "./code.ts";
import { compiledJq, expr } from "./exprs.ts";
import type { ActionPlace, FeatureFacts } from "./place.ts";

/** Prints arguments in the form that the feature takes. When they are static, stage 1 becomes a constant of the module. */
export function ready(
  kind: "transforms" | "matchers",
  feature: string,
  args: Expr,
  label: string,
  at: Span | undefined,
  p: ActionPlace,
): Code {
  if (!p.features.staged(kind, feature)) return expr(args, p);
  if (args.op === "lit" && p.features.unchanged(kind, feature, args.value)) return expr(args, p);
  const pattern = patternOf(kind, feature, args, p);
  const filter = kind === "transforms" ? filterOf(feature, args, p) : undefined;
  const prepared = (indent: string): Code => {
    const inner = { ...p, indent };
    if (pattern !== undefined) return code`${p.imports.prepare(feature, "native")}(${list([expr(args, inner), ...pattern])})`;
    if (filter === "none") return code`${p.imports.prepare(feature, "plain")}(${expr(args, inner)})`;
    const compiled = filter === undefined ? undefined : compiledJq(filter.text, filter.values, inner);
    return code`${p.imports.prepare(feature)}(${list([expr(args, inner), ...(compiled === undefined ? [] : [compiled])])})`;
  };
  if (args.op !== "lit") return prepared(p.indent);
  const isPattern = kind === "matchers" && p.features.pattern(kind, feature) === "whole";
  return p.hoist(`${label}_${isPattern ? "pattern" : feature}`, prepared(""), at, wordsOf(args.value));
}

/** The pattern of the arguments as JavaScript: empty when there is no pattern, undefined when our engine has to run it. */
function patternOf(kind: "transforms" | "matchers", feature: string, args: Expr, { features }: ActionPlace): readonly Code[] | undefined {
  const text = patternAt(kind, feature, args, features);
  if (text === null) return [];
  const native = nativeSource(kind, feature, args, features);
  return native === undefined ? undefined : [regexp(native)];
}

/** The source of the pattern as a JavaScript literal, without the slashes. */
export function nativeSource(kind: "transforms" | "matchers", feature: string, args: Expr, features: FeatureFacts): string | undefined {
  const text = patternAt(kind, feature, args, features);
  return typeof text === "string" ? features.native(text, features.everyMatch(kind, feature)) : undefined;
}

/** The pattern in the arguments; null when it is left out. Undefined when the feature has none, or when it is known only at run time. */
function patternAt(kind: "transforms" | "matchers", feature: string, args: Expr, features: FeatureFacts): string | null | undefined {
  const place = features.pattern(kind, feature);
  const text = place === undefined ? undefined : argumentAt(args, place);
  if (text?.op !== "lit") return undefined;
  return text.value === null ? null : String(text.value);
}

/** The filter of the arguments; `none` when the feature may have one but has none, and therefore needs nothing to run it. */
function filterOf(transform: string, args: Expr, { features }: ActionPlace): FilterExpr | "none" | undefined {
  const place = features.jq(transform);
  const filter = place === undefined ? undefined : argumentAt(args, place);
  if (filter === undefined) return undefined;
  return filter.op === "lit" && filter.value === null ? "none" : filterArgument(filter);
}

/** A path of a transform, parsed once when it is static. */
export function pathOf(target: Expr, role: string, at: Span | undefined, p: ActionPlace): Code {
  if (target.op === "lit" && target.value === "") return p.imports.use("wholeData");
  const parsed = (indent: string): Code => code`${p.imports.use("nodePath")}(${expr(target, { ...p, indent })})`;
  return target.op === "lit" ? p.hoist(role, parsed(""), at, wordsOf(target.value)) : parsed(p.indent);
}

/** The names in an argument, which distinguish a constant from another with the same name; empty when there are too many names. */
function wordsOf(value: Json): string {
  const texts = typeof value === "string" ? [value] : Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
  const words = texts.flatMap((text) => text.match(/[A-Za-z0-9]+/g) ?? []);
  return words.length > 4 || !words.every((word) => /^[A-Za-z]/.test(word)) ? "" : words.join("_");
}
