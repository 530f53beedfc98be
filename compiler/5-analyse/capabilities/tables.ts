import { SqlLexer } from "#runtime/languages/sql/lexer.ts";
import { type TableUse, tablesOf } from "#runtime/languages/sql/tables.ts";
import type { DatabasePlan, Expr } from "#runtime/plan/index.ts";
import type { Sources } from "../../4-plan/inference/provenance.ts";
import { member } from "./member.ts";
import { namesOf } from "./names.ts";

/** The tables that a query names, or the collection of an operation on documents, with what is done to them. */
export function tablesOfQuery(args: Expr, database: DatabasePlan | undefined, known: Sources): readonly TableUse[] {
  if (database === undefined) return [{ table: "*", verb: "*" }];
  if (database.speaks === "documents") return collectionsOf(args, known);
  const query = member(args, "query");
  const lexer = new SqlLexer(database.speaks);
  if (query.op === "lit") lexer.read(String(query.value), false);
  else if (query.op === "text")
    query.parts.forEach((part, i) => {
      if (typeof part === "string") lexer.read(part, i < query.parts.length - 1);
      else lexer.hole(i, part.fill === "raw");
    });
  else return [{ table: "*", verb: "*" }];
  return tablesOf(lexer.tokens);
}

function collectionsOf(args: Expr, known: Sources): readonly TableUse[] {
  const named = (field: string): readonly string[] => namesOf(member(args, field), known).map(({ name }) => name);
  const databases = named("database");
  const verbs = named("operation");
  return named("collection").flatMap((collection) =>
    verbs.map((verb) => ({ table: databases.length === 0 ? collection : `${databases.join("|")}.${collection}`, verb })),
  );
}
