import type { SqlToken } from "#runtime/languages/sql/lexer.ts";
import { statementsOf } from "#runtime/languages/sql/tokens.ts";
import type { Dialect } from "#runtime/plan/dialect.ts";
import type { Op, Span } from "#runtime/plan/index.ts";
import type { AnalysedPlan } from "../5-analyse/analysed.ts";
import { member } from "../5-analyse/capabilities/member.ts";
import { tokensOfQuery } from "../5-analyse/shapes/statement.ts";

/** A statement of a query of an interface. */
export interface Statement {
  readonly tokens: readonly SqlToken[];
  readonly speaks: Dialect;
  readonly at: Span;
}

/** The statements of the queries among these ops; a query that is one marker has none. */
export function statementsIn(ops: readonly (Op & { readonly at: Span })[], config: AnalysedPlan): readonly Statement[] {
  return ops.flatMap((op) => {
    const database = op.op === "query" ? config.databases.find(({ name }) => name === op.database) : undefined;
    if (op.op !== "query" || database === undefined || database.speaks === "documents") return [];
    const { speaks } = database;
    return statementsOf(tokensOfQuery(member(op.args, "query"), speaks)).map((tokens) => ({ tokens, speaks, at: op.at }));
  });
}
