import { type Document, get, type Node } from "../../../compiler/1-read/document.ts";
import { read } from "../../../compiler/1-read/index.ts";
import { lower } from "../../../compiler/4-plan/lower/values.ts";
import { type Scope, scope } from "../../../compiler/4-plan/markers/scope.ts";
import { collector } from "../../../compiler/diagnostics/collect.ts";
import type { JsonSchema } from "../../../runtime/features/feature.ts";
import { filters } from "../../../runtime/features/filters/index.ts";
import { asyncJq, FilterCheck, jq } from "../../../runtime/languages/jq.ts";
import type { Expr } from "../../../runtime/plan/index.ts";
import { createHost } from "../../../runtime/process/host.ts";
import { LiveRun } from "../../../runtime/run/live-run.ts";
import type { Json, JsonObject } from "../../../runtime/value/json.ts";
import { evaluate } from "../../../runtime/walk/evaluate.ts";

// Lowers the key `v` of a piece of YAML and evaluates it: what the unit tests of markers have in common.

export interface Lowered {
  readonly expr: Expr;
  readonly scope: Scope;
  /** `PW301@12-20: message`, with offsets in the YAML. */
  readonly found: readonly string[];
  readonly text: string;
}

/** The scope of most tests: two actions, the second being lowered. */
export const usual = { actions: new Set(["User", "Self"]), self: "Self", previous: "User" } as const;

const check = new FilterCheck();
export const refusal = (text: string, names: number): string | undefined => check.refusal(text, names);

/** The node under `v`. */
export function nodeOf(yaml: string): Node {
  const node = get(document(yaml).root, "v");
  if (node === undefined) throw new Error(`no key v in ${yaml}`);
  return node;
}

function document(yaml: string): Document {
  const parsed = read(yaml, "t.yml", (finding) => {
    throw new Error(finding.message);
  });
  if (parsed === undefined) throw new Error("no YAML");
  return parsed;
}

/** Lowers `v` with the schema of its field. */
export function lowered(yaml: string, schema: JsonSchema = {}, parts: Partial<Scope> = {}): Lowered {
  const { report, diagnostics } = collector();
  const names = scope({ ...usual, ...parts });
  const cx = { report, refusal, scope: names, definitions: {} };
  const expr = withoutPlaces(lower(nodeOf(yaml), schema, cx, { field: "v", required: false }));
  const found = diagnostics().map(({ code, at, message }) => `${code}@${at.start}-${at.end}: ${message}`);
  return { expr, scope: names, found, text: yaml };
}

const reads: ReadonlySet<string> = new Set(["root", "action", "data", "at", "each"]);

/** The places of markers are no part of what a value means; those of jq filters stay. */
const withoutPlaces = (expr: Expr): Expr =>
  JSON.parse(
    JSON.stringify(expr, function (this: { readonly op?: unknown }, key, part: unknown) {
      return key === "at" && reads.has(String(this.op)) ? undefined : part;
    }),
  );

/** Everything a marker may read in a test. */
export interface World {
  readonly body?: Json;
  readonly params?: JsonObject;
  readonly headers?: JsonObject;
  readonly ip?: JsonObject;
  readonly env?: Readonly<Record<string, string>>;
  readonly vars?: JsonObject;
  readonly data?: Json;
}

export const clock = Date.UTC(2024, 1, 29, 12, 30, 15, 250);

/** Evaluates with the interpreter. */
export function evaluated(
  expr: Expr,
  { body = null, params = {}, headers = {}, ip = {}, env = {}, vars = {}, data = null }: World = {},
): Json {
  const host = createHost({ clock, env, variables: vars });
  const config = { name: "t", interfaces: [], needs: { env: [], vars: [], secrets: [] } };
  const target = { name: "t", output: "http", run: () => undefined } as const;
  const input = { id: "id", trigger: "http", method: "POST", path: "/t", body, raw_body: null, params, headers, ip };
  const cx = new LiveRun(host, config, target, input);
  return evaluate(expr, { cx, parts: { filters, jq: { asyncJq, jq } }, acts: new Map(), data, ready: new WeakMap() });
}

/** The value of `v`; fails the test when the compiler had anything to say. */
export function value(yaml: string, world: World = {}, schema: JsonSchema = {}, parts: Partial<Scope> = {}): Json {
  const { expr, found } = lowered(yaml, schema, parts);
  if (found.length > 0) throw new Error(found.join("\n"));
  return evaluated(expr, world);
}
