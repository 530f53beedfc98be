import type { Expr, Span } from "#runtime/plan/index.ts";
import type { Json } from "#runtime/value/json.ts";
import { isUnset } from "../5-analyse/capabilities/member.ts";
import { argumentAt, type FilterExpr, filterArgument } from "../jq/print/argument.ts";
import { type Code, code, list, regexp } from "./code.ts";
import { compiledJq, expr } from "./exprs.ts";
import type { ActionPlace, FeatureFacts } from "./place.ts";

/** A feature as a plan uses it, with its arguments. */
export interface FeatureUse {
  readonly kind: "transforms" | "matchers";
  readonly feature: string;
  readonly args: Expr;
  readonly at?: Span | undefined;
}

/**
 * Prints arguments in the form that the feature takes. When they are static, stage 1 becomes a constant of the module, whose name begins
 * with the label.
 */
export function ready(use: FeatureUse, label: string, p: ActionPlace): Code {
  const { kind, feature, args } = use;
  if (!p.features.staged(kind, feature)) return expr(args, p);
  if (args.op === "lit" && p.features.unchanged(kind, feature, args.value)) return expr(args, p);
  const pattern = patternOf(use, p.features);
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
  return p.hoist(`${label}_${isPattern ? "pattern" : feature}`, prepared(""), use.at, wordsOf(args.value));
}

/** The pattern of the arguments as JavaScript: empty when there is no pattern, undefined when our engine has to run it. */
function patternOf(use: FeatureUse, features: FeatureFacts): readonly Code[] | undefined {
  if (patternAt(use, features) === null) return [];
  const native = nativeSource(use, features);
  return native === undefined ? undefined : [regexp(native)];
}

/** The source of the pattern as a JavaScript literal, without the slashes. */
export function nativeSource(use: FeatureUse, features: FeatureFacts): string | undefined {
  const text = patternAt(use, features);
  return typeof text === "string" ? features.native(text, features.everyMatch(use.kind, use.feature)) : undefined;
}

/** The pattern in the arguments; null when it is left out. Undefined when the feature has none, or when it is known only at run time. */
function patternAt({ kind, feature, args }: FeatureUse, features: FeatureFacts): string | null | undefined {
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
  return isUnset(filter) ? "none" : filterArgument(filter);
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
