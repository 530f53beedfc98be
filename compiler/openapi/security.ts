import type { JsonObject } from "#runtime/json.ts";
import type { ActionPlan, AssertPlan, Expr, InterfacePlan } from "#runtime/plan.ts";

/** How tokens reach an interface, as OpenAPI calls it. */
const schemes = {
  "airpipe-jwt": { type: "apiKey", in: "header", name: "airpipe-jwt" },
  bearer: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
} as const satisfies Readonly<Record<string, JsonObject>>;

export type SchemeName = keyof typeof schemes;

export const schemeOf = (name: SchemeName): JsonObject => ({ ...schemes[name] });

/** The scheme by the header that a token is read from (surfaces.md 7). */
const byHeader: Readonly<Record<string, SchemeName>> = { "airpipe-jwt": "airpipe-jwt", authorization: "bearer" };

/** The schemes that an interface demands: those whose token a test of `is_valid_jwt` verifies. */
export function securityOf({ actions, assert }: Pick<InterfacePlan, "actions" | "assert">): readonly SchemeName[] {
  const tested = actions.flatMap((action) => assertsOf(action).map((one) => ({ assert: one, base: sourceOf(action) })));
  const all = assert === undefined ? tested : [...tested, { assert, base: undefined }];
  const found = all.flatMap(({ assert: { tests }, base }) =>
    tests.flatMap(({ target, matchers }) => {
      const header = matchers.some(({ use }) => use === "is_valid_jwt") ? headerOf(target, base, actions) : undefined;
      return header === undefined ? [] : (byHeader[header] ?? []);
    }),
  );
  return [...new Set(found)].sort();
}

function assertsOf({ gates, ops }: ActionPlan): readonly AssertPlan[] {
  const checked = ops.flatMap((op) => (op.op === "check" ? [op.assert] : []));
  return gates.run_on_assertion === undefined ? checked : [gates.run_on_assertion, ...checked];
}

function sourceOf({ ops: [first] }: ActionPlan): Expr | undefined {
  return first?.op === "take" ? first.from : undefined;
}

/** The request header that an expression selects. `base` is what the data of the action are. */
function headerOf(e: Expr, base: Expr | undefined, actions: readonly ActionPlan[]): string | undefined {
  if (e.op === "or") return headerOf(e.of, base, actions);
  const [name] = e.op === "at" ? e.path : [];
  return e.op === "at" && typeof name === "string" && isHeaders(e.of, base, actions) ? name.toLowerCase() : undefined;
}

/** Whether an expression gives all headers, also by way of actions that take them. */
function isHeaders(e: Expr, base: Expr | undefined, actions: readonly ActionPlan[]): boolean {
  if (e.op === "root") return e.root === "headers";
  if (e.op === "data") return base !== undefined && isHeaders(base, undefined, actions);
  const action = e.op === "action" ? actions.findIndex(({ name }) => name === e.name) : -1;
  const source = action < 0 ? undefined : sourceOf(actions[action] as ActionPlan); // the index has just been found
  // Actions stand in start order, so what one reads stands before it.
  return source !== undefined && isHeaders(source, undefined, actions.slice(0, action));
}
