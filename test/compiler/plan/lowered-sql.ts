import { expect } from "vitest";
import type { Dialect } from "#runtime/plan/dialect.ts";
import { readScalar } from "../../../compiler/4-plan/lower/scalar.ts";
import { type Lowering, scope } from "../../../compiler/4-plan/markers/scope.ts";
import { type LoweredQuery, lowerQuery, type QuerySetting } from "../../../compiler/4-plan/sql/index.ts";
import { collector } from "../../../compiler/diagnostics/collect.ts";
import type { Expr } from "../../../runtime/plan/index.ts";
import { evaluated, nodeOf, usual, type World } from "./lowering.ts";

interface Lowered extends Pick<LoweredQuery, "values"> {
  /** True when it changes its session; "maybe" where a text of the configuration decides. */
  readonly session: boolean | "maybe";
  readonly expr: Expr;
  readonly order: readonly number[] | undefined;
  readonly found: readonly string[];
}

/** Lowers a query with so many params. */
export function lowered(query: string, driver: Dialect, count = 0, more: Partial<QuerySetting> = {}): Lowered {
  const node = nodeOf(`v: ${JSON.stringify(query)}`);
  if (node.kind !== "scalar") throw new Error("no scalar");
  const { report, diagnostics } = collector();
  const cx: Lowering = { report, scope: scope(usual), definitions: {} };
  const params = count === 0 ? {} : { params: { span: { file: "t.yml", start: 0, end: 1 }, count } };
  const { text: expr, ...rest } = lowerQuery(readScalar(node, report, { code: true }), cx, { driver, ...params, ...more });
  return {
    expr,
    values: rest.values,
    session: rest.session === undefined ? false : rest.session.op === "lit" || "maybe",
    order: rest.order,
    found: diagnostics().map(({ code, severity, message }) => `${severity} ${code} ${message}`),
  };
}

/** The text that the database gets. */
export function text(query: string, driver: Dialect, world: World = {}, count = 0, more: Partial<QuerySetting> = {}): string {
  const { expr, found } = lowered(query, driver, count, more);
  expect(found.filter((finding) => !finding.includes("PW416"))).toEqual([]);
  return String(evaluated(expr, world));
}

/** The text of a query of which the database takes no parameters. */
export const literally = (query: string, driver: Dialect, world: World): string => text(query, driver, world, 0, { multi: true });
