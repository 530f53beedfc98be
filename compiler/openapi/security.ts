import type { ActionPlan, AssertPlan, Expr, InterfacePlan } from "#runtime/plan/index.ts";
import type { JsonObject } from "#runtime/value/json.ts";
import { originOf, originsOf, sourceOf } from "../4-plan/inference/origin.ts";

/** The ways in which tokens reach an interface, as security schemes of OpenAPI. */
const schemes = {
  "airpipe-jwt": { type: "apiKey", in: "header", name: "airpipe-jwt" },
  bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
} as const satisfies Readonly<Record<string, JsonObject>>;

export type SchemeName = keyof typeof schemes;

export const schemeOf = (name: SchemeName): JsonObject => ({ ...schemes[name] });

/** The scheme by the header that a token is read from (spec/surfaces 7). */
const byHeader: Readonly<Record<string, SchemeName>> = { "airpipe-jwt": "airpipe-jwt", authorization: "bearer" };

/** The schemes that an interface demands: the schemes whose token a test of `is_valid_jwt` verifies. */
export function securityOf({ actions, assert, params }: Pick<InterfacePlan, "actions" | "assert" | "params">): readonly SchemeName[] {
  const tested = actions.flatMap((action) => assertsOf(action).map((one) => ({ assert: one, base: sourceOf(action) })));
  const validated = params.flatMap(({ value, validate }) =>
    validate === undefined ? [] : [{ assert: { tests: [validate] }, base: value }],
  );
  const all = [...tested, ...(assert === undefined ? [] : [{ assert, base: undefined }]), ...validated];
  const schemeNames = all.flatMap(({ assert: { tests }, base }) =>
    tests.flatMap(({ target, matchers }) => {
      const header = matchers.some(({ use }) => use === "is_valid_jwt") ? headerOf(target, base, actions) : undefined;
      return header === undefined ? [] : (byHeader[header] ?? []);
    }),
  );
  return [...new Set(schemeNames)].sort();
}

function assertsOf({ gates, ops }: ActionPlan): readonly AssertPlan[] {
  const checked = ops.flatMap((op) => (op.op === "check" ? [op.assert] : []));
  return gates.run_on_assertion === undefined ? checked : [gates.run_on_assertion, ...checked];
}

/**
 * The request header that an expression selects, directly or through actions that take it as their data. `base` is the expression for the
 * data of the action.
 */
function headerOf(e: Expr, base: Expr | undefined, actions: readonly ActionPlan[]): string | undefined {
  const origins = originsOf(actions, { actions: new Map() });
  const data = base === undefined ? undefined : originOf(base, { actions: origins });
  const origin = originOf(e, { actions: origins, data });
  const [name] = origin?.root === "headers" ? origin.path : [];
  return typeof name === "string" ? name.toLowerCase() : undefined;
}
