import { collectionsIn } from "#runtime/languages/document-stages.ts";
import { SqlLexer } from "#runtime/languages/sql/lexer.ts";
import { type TableUse, tablesOf } from "#runtime/languages/sql/tables.ts";
import type { DatabasePlan, Expr } from "#runtime/plan/index.ts";
import type { Json } from "#runtime/value/json.ts";
import type { Sources } from "../../4-plan/inference/provenance.ts";
import { member } from "./member.ts";
import { nameOfText, namesOf } from "./names.ts";

/** The tables that a query names, or the collection of an operation on documents, with the operations on them. */
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
  return tablesOf(lexer.tokens, database.speaks).map(({ table, verb }) => ({ table: table === "*" ? table : nameOfText(table), verb }));
}

const anything: TableUse = { table: "*", verb: "*" };

/** The value as it is written, with `*` in the place of names that are known only at run time; undefined where its stages are unknown. */
function writtenIn(e: Expr): Json | undefined {
  switch (e.op) {
    case "lit":
      return e.value;
    case "list":
      return e.items.map((item) => writtenIn(item) ?? null);
    case "map": {
      const entries = e.entries.map(([key, value]) => [key, writtenIn(value)] as const);
      if (entries.some(([key]) => typeof key !== "string")) return undefined;
      return Object.fromEntries(entries.map(([key, value]) => [String(key), value ?? null]));
    }
    default:
      return undefined;
  }
}

function collectionsOf(args: Expr, known: Sources): readonly TableUse[] {
  const namesIn = (field: string): readonly string[] => namesOf(member(args, field), known).map(({ name }) => name);
  const databases = namesIn("database");
  const verbs = namesIn("operation");
  const within = (collection: string): string => (databases.length === 0 ? collection : `${databases.join("|")}.${collection}`);
  const own = namesIn("collection").flatMap((collection) => verbs.map((verb) => ({ table: within(collection), verb })));
  const stages = ["pipeline", "update"].map((field) => writtenIn(member(args, field)));
  return [...own, ...stages.flatMap((each) => (each === undefined ? [anything] : collectionsIn(each, within)))];
}
