import type { JsonSchema } from "#runtime/features/feature.ts";
import type { Expr, StartFormPlan } from "#runtime/plan/index.ts";
import type { ScalarNode } from "../1-read/document.ts";
import { dereference } from "../2-check/schema.ts";
import { isStarted } from "../2-check/started.ts";
import { present } from "../present.ts";
import { lowerPlain } from "./lower/reads.ts";
import { readScalar } from "./lower/scalar.ts";
import { readsSecret } from "./markers/mentions.ts";
import { type Lowering, startRoots } from "./markers/scope.ts";

/**
 * A scalar with markers in a field that is read when the process starts; undefined for any other scalar. A marker may read only roots that
 * exist then (PW206).
 */
export function lowerStart(
  node: ScalarNode,
  schema: JsonSchema,
  cx: Lowering,
  slot: { readonly field: string; readonly required: boolean },
): Expr | undefined {
  if (dereference(schema, cx.definitions).context !== "start" || !isStarted(node)) return undefined;
  const inner: Lowering = { ...cx, scope: { ...cx.scope, allowed: startRoots, masked: false } };
  const scalar = readScalar(node, cx.report);
  const of: Expr = scalar.sound ? lowerPlain(scalar, inner) : { op: "lit", value: null };
  const form = formOf(schema, cx);
  const required = slot.required || form.required === true;
  const words = { ...(required ? { required } : {}), ...(readsSecret(of) ? { secret: true as const } : {}) };
  return { op: "start", field: slot.field, form: { ...form, ...words }, of, at: node.span };
}

/** The parts of a schema that check a value of the environment. */
function formOf(schema: JsonSchema, cx: Lowering): StartFormPlan {
  const { type, anyOf = [], enum: words, judge, format, minimum, maximum, items = {} } = dereference(schema, cx.definitions);
  if (judge === "retry_matcher") return { type: "string", judge };
  const forms = anyOf.map((form) => dereference(form, cx.definitions));
  const several = forms.find((form) => form.type === "array");
  if (several !== undefined) return { type: "list", items: formOf(several.items ?? {}, cx) };
  const [single] = forms.filter((form) => form.type !== "object");
  if (single !== undefined) return formOf(single, cx);
  // A list of allowed addresses without this value could admit every caller, so the value is required.
  if (type === "array") return { type: "list", items: formOf(items, cx), required: true };
  return {
    ...(format === "duration" ? { type: "duration" } : isKind(type) ? { type } : {}),
    ...present({ minimum, maximum }),
    ...(words === undefined ? {} : { words: words.map(String) }),
    ...present({ judge }),
  };
}

type Kind = "boolean" | "integer" | "number" | "string";

const isKind = (type: JsonSchema["type"]): type is Kind => ["boolean", "integer", "number", "string"].includes(String(type));
