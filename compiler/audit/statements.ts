import { SqlLexer, type SqlToken } from "#runtime/languages/sql/lexer.ts";
import { statementsOf } from "#runtime/languages/sql/tokens.ts";
import type { Dialect } from "#runtime/plan/dialect.ts";
import type { Expr, Op, Span } from "#runtime/plan/index.ts";
import type { AnalysedPlan } from "../5-analyse/analysed.ts";
import { member } from "../5-analyse/capabilities/member.ts";

/** A statement of a query of an interface. */
export interface Statement {
  readonly tokens: readonly SqlToken[];
  readonly speaks: Dialect;
  readonly at: Span;
}

/** The statements of the queries among these ops; none of a query that a marker gives as a whole. */
export function statementsIn(ops: readonly (Op & { readonly at: Span })[], config: AnalysedPlan): readonly Statement[] {
  return ops.flatMap((op) => {
    const database = op.op === "query" ? config.databases.find(({ name }) => name === op.database) : undefined;
    if (op.op !== "query" || database === undefined || database.speaks === "documents") return [];
    const { speaks } = database;
    return statementsOf(tokensOf(member(op.args, "query"), speaks)).map((tokens) => ({ tokens, speaks, at: op.at }));
  });
}

function tokensOf(query: Expr, dialect: Dialect): readonly SqlToken[] {
  const lexer = new SqlLexer(dialect);
  const parts = query.op === "lit" ? [String(query.value)] : query.op === "text" ? query.parts : [];
  parts.forEach((part, i) => {
    if (typeof part === "string") lexer.read(part, i < parts.length - 1);
    else lexer.hole(i, part.fill === "raw");
  });
  return lexer.tokens;
}
