import { tablesOf } from "#runtime/languages/sql/tables.ts";
import { verbOf } from "#runtime/languages/sql/tokens.ts";
import type { Dialect } from "#runtime/plan/dialect.ts";
import type { ActionListPlan, DatabasePlan, Expr, Op, Span } from "#runtime/plan/index.ts";
import type { AnalysedPlan } from "../5-analyse/analysed.ts";
import { member } from "../5-analyse/capabilities/member.ts";
import { type Statement, statementOf, tokensOfQuery } from "../5-analyse/shapes/statement.ts";

/** A query of a configuration that a server can describe. */
export interface Question {
  readonly statement: Statement;
  readonly at: Span;
}

/** The queries of one database of a configuration. */
export interface Questions {
  /** The index of the configuration in the project, and below it its file. */
  readonly index: number;
  readonly file: string;
  readonly database: DatabasePlan;
  readonly speaks: Dialect;
  readonly questions: readonly Question[];
  /** The number of queries that a server cannot describe: batches, other statements, and texts made of data. */
  readonly left: number;
  /** Tables that queries of the project make or change: the server may not have them yet. */
  readonly changedTables: ReadonlySet<string>;
}

/** Statements whose columns and names a server checks when it prepares them. */
const describable: ReadonlySet<string> = new Set(["select", "with", "values", "table", "insert", "update", "delete", "replace", "merge"]);

/** The queries of each SQL database, loops included. */
export function questionsOf(plans: readonly AnalysedPlan[]): readonly Questions[] {
  const all = plans.flatMap((plan, index) => {
    const queries = plan.interfaces.flatMap(queriesIn);
    return plan.databases.flatMap((database) => {
      const own = queries.filter((query) => query.database === database.name);
      return database.speaks === "documents" || own.length === 0
        ? []
        : [{ index, file: plan.file, database, speaks: database.speaks, own }];
    });
  });
  const changedTables = new Set(all.flatMap(({ own, speaks }) => own.flatMap(({ args }) => changedBy(args, speaks))));
  return all.map(({ own, ...rest }) => {
    const questions = own.flatMap(({ args, at }) => questionOf(statementOf(args, rest.speaks), at ?? rest.database.at));
    return { ...rest, questions, left: own.length - questions.length, changedTables };
  });
}

function questionOf(statement: Statement | undefined, at: Span | undefined): readonly Question[] {
  if (statement === undefined || at === undefined || !describable.has(verbOf(statement.tokens) ?? "")) return [];
  return [{ statement, at }];
}

type Query = Extract<Op, { op: "query" }>;

const queriesIn = ({ actions }: ActionListPlan): readonly Query[] =>
  actions.flatMap(({ ops }) => ops.flatMap((op) => (op.op === "query" ? [op] : op.op === "lookup" ? queriesIn(op.body) : [])));

const changedBy = (args: Expr, dialect: Dialect): readonly string[] =>
  tablesOf(tokensOfQuery(member(args, "query"), dialect), dialect)
    .filter(({ verb }) => verb === "create" || verb === "alter")
    .map(({ table }) => lastName(table));

/** The name of a table without its schema. */
export const lastName = (table: string): string => table.split(".").at(-1)?.toLowerCase() ?? "";
