import type { Expr, InterfacePlan } from "#runtime/plan/index.ts";
import { isObject, type Json, type JsonObject } from "#runtime/value/json.ts";
import type { AnalysedInterface } from "../5-analyse/analysed.ts";
import { withoutPlaces } from "../5-analyse/without-places.ts";
import type { FeatureFacts } from "./place.ts";
import { nativeSource } from "./stage.ts";

/** Fields of the plan that are printed in the record of the interface, where triggers read them, or that no run reads. */
const elsewhere: ReadonlySet<string> = new Set<keyof AnalysedInterface>([
  "about",
  "accepts",
  "capture",
  "discards",
  "durable",
  "idle",
  "keeps",
  "loads",
  "mcp",
  "mqtt",
  "network",
  "public",
  "schedule",
  "shapes",
  "start",
  "subscribe_authorizer",
  "tool",
  "triggers",
  "uses",
  "verifies",
  "ws",
]);

/**
 * The plan in the form for the interpreter. It has no contract, which is printed as types, and no spans, which would change with every
 * diff. A pattern that a printed call would run in JavaScript stands beside its arguments, so that both ways use the same engine.
 */
export function walkedPlan(plan: InterfacePlan, features: FeatureFacts): Json {
  const { headers, custom_body, error_body } = plan.response;
  const ofRun = Object.entries(plan).filter(([field]) => !elsewhere.has(field));
  const whole: Json = JSON.parse(
    JSON.stringify({ ...Object.fromEntries(ofRun), response: { headers, custom_body, error_body }, contract: {} }),
  );
  return withNatives(withoutPlaces(whole), features);
}

function withNatives(part: Json, features: FeatureFacts): Json {
  if (Array.isArray(part)) return part.map((item) => withNatives(item, features));
  // A literal is the author's data, not a part of the plan.
  if (!isObject(part) || part.op === "lit") return part;
  const out: JsonObject = {};
  for (const [key, value] of Object.entries(part)) out[key] = withNatives(value, features);
  const native = nativeOf(part, features);
  return native === undefined ? out : { ...out, native };
}

/** The pattern of a transform or of a matcher, if the part is one. */
function nativeOf({ op, use, args, operand }: JsonObject, features: FeatureFacts): string | undefined {
  if (typeof use !== "string") return undefined;
  const isTransform = op === "transform";
  const expression = isTransform ? args : operand;
  if (expression === undefined) return undefined;
  // By the type of the plan, it is an expression.
  return nativeSource({ kind: isTransform ? "transforms" : "matchers", feature: use, args: expression as unknown as Expr }, features);
}
