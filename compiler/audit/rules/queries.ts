import { verbOf } from "#runtime/languages/sql/tokens.ts";
import { isUnset, member } from "../../5-analyse/capabilities/member.ts";
import type { Audited, AuditRule, ReportedPlace } from "../rule.ts";
import type { Statement } from "../statements.ts";

const has = ({ tokens }: Statement, ...words: readonly string[]): boolean =>
  tokens.some((token) => token.kind === "word" && words.includes(token.text));

/** True for a query with one row: `SELECT count(*) FROM …`, or a query without a table. */
const isOneRow = (statement: Statement): boolean =>
  !has(statement, "from") || (has(statement, "count", "sum", "avg", "min", "max", "json_agg", "jsonb_agg") && !has(statement, "group"));

/** Operations on documents without a limit of the number of results. */
const endless = ({ ops }: Audited): readonly ReportedPlace[] =>
  ops.flatMap((op) => {
    if (op.op !== "query" || op.use !== "document_operation") return [];
    const operation = member(op.args, "operation");
    const isFind = operation.op === "lit" && operation.value === "find";
    return isFind && isUnset(member(op.args, "options", "limit"))
      ? [{ at: op.at, text: "the query gives as many documents as there are" }]
      : [];
  });

/** Rules about databases. */
export const queries: readonly AuditRule[] = [
  {
    name: "unbounded-query",
    severity: "medium",
    why: "The answer grows with the table: one day it is too large for memory, or too slow.",
    remedy: "end the query with LIMIT, and page through the rest",
    find: (target) => [
      ...target.statements.flatMap((statement): readonly ReportedPlace[] => {
        const isBounded = has(statement, "limit", "top", "fetch") || verbOf(statement.tokens) !== "select" || isOneRow(statement);
        if (isBounded) return [];
        // A condition may leave only few rows, but the text does not show it.
        return [
          { at: statement.at, text: "the query gives as many rows as there are", ...(has(statement, "where") ? { severity: "low" } : {}) },
        ];
      }),
      ...endless(target),
    ],
  },
  {
    name: "change-of-all-rows",
    severity: "high",
    why: "Every row of the table is changed or deleted.",
    remedy: "add a WHERE; TRUNCATE says that all is meant",
    find: (target) =>
      target.statements.flatMap((statement) => {
        const verb = verbOf(statement.tokens) ?? "";
        const isAll = ["update", "delete"].includes(verb) && !has(statement, "where", "limit", "using", "join");
        return isAll ? [{ at: statement.at, text: `${verb.toUpperCase()} without WHERE` }] : [];
      }),
  },
  {
    name: "raw-query",
    severity: "medium",
    why: "A value of the environment stands in the query as it is: a wrong one is another query.",
    remedy: 'bind it as a parameter; a name that has to vary is quoted as "a|…|" in the query',
    find: ({ touches, at }) =>
      touches.flatMap((touch) =>
        touch.kind === "tables" && touch.name === "*" && touch.verb === "*"
          ? [{ at: touch.at ?? at, text: "the query may touch any table" }]
          : [],
      ),
  },
];
