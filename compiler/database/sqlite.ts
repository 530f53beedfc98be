import { existsSync } from "node:fs";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Settings } from "#runtime/features/actions/database/settings.ts";
import { fileOf, memory } from "#runtime/features/actions/database/sqlite-file.ts";
import { tablesOf } from "#runtime/languages/sql/tables.ts";
import { nothing, number, type Shape, string, union } from "#runtime/shapes/shape.ts";
import type { Statement } from "../5-analyse/shapes/statement.ts";
import { type Column, type Description, mostNames, type QueryRefusal, type Server } from "./server.ts";

/** Opens a file of SQLite for reading. A statement is prepared, and never stepped. */
export async function openSqlite(settings: Settings): Promise<Server> {
  const { path } = fileOf(settings);
  if (path === memory) throw new Error("a database in memory has no tables before it runs");
  if (!existsSync(path)) throw new Error("the file is not there");
  const db = new DatabaseSync(path, { readOnly: true, timeout: 1000 });
  // The first reading fails for a file that is no database.
  db.prepare("SELECT 1 FROM sqlite_schema").get();
  return {
    describe: async (statement) => described(db, statement),
    tables: async () => names(db, `SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') ORDER BY 1 LIMIT ${mostNames}`),
    columns: async (tables) =>
      tables.flatMap((table) => names(db, `SELECT name FROM pragma_table_xinfo(?) LIMIT ${mostNames}`, table.split(".").at(-1) ?? "")),
    close: () => db.close(),
  };
}

const names = (db: DatabaseSync, text: string, ...values: readonly string[]): readonly string[] =>
  db
    .prepare(text)
    .all(...values)
    .map(({ name }) => String(name));

function described(db: DatabaseSync, statement: Statement): Description {
  try {
    const fields = db.prepare(statement.text).columns();
    const isOfTables = tablesOf(statement.tokens, "sqlite").every(({ table }) => isTable(db, table.split(".").at(-1) ?? ""));
    return { columns: fields.map((field) => columnOf(db, field, statement, isOfTables)) };
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    return { refusal };
  }
}

type Field = ReturnType<StatementSync["columns"]>[number];

const scalar = union(number, string);

/**
 * SQLite has no booleans and no lists. A column may hold any scalar despite its type, except a column of texts. For a view, SQLite
 * describes the column of the table behind it, although joins and unions of the view may give other values.
 */
function columnOf(db: DatabaseSync, { name, table, column, type }: Field, { compound, plain }: Statement, isOfTables: boolean): Column {
  const isStored = isOfTables && table !== null && column !== null && isTable(db, table) && !compound;
  const shape: Shape = isStored && isText(type ?? "") ? string : scalar;
  return { name, shape: plain && isStored && isRequired(db, table, column) ? shape : union(shape, nothing) };
}

/** The rule of SQLite for the affinity of a column. */
const isText = (type: string): boolean => /char|clob|text/i.test(type) && !/int/i.test(type);

/** False for a view, and for a virtual table, whose module may give any values. */
function isTable(db: DatabaseSync, name: string): boolean {
  const kinds = db.prepare("SELECT type FROM pragma_table_list WHERE lower(name) = lower(?)").all(name);
  return kinds.length === 1 && kinds[0]?.type === "table";
}

const isRequired = (db: DatabaseSync, table: string, column: string): boolean =>
  db.prepare('SELECT "notnull" AS required FROM pragma_table_xinfo(?) WHERE name = ?').get(table, column)?.required === 1;

/** The refusal in an error of the statement (SQLITE_ERROR). Other errors concern the file, locks or memory. */
function refusalOf(error: unknown): QueryRefusal | undefined {
  if (!(error instanceof Error) || !("errcode" in error) || error.errcode !== 1) return undefined;
  const { message } = error;
  const table = /^no such table: (.*)$/s.exec(message)?.[1];
  const column = /^(?:no such column: |table .* has no column named )(.*)$/s.exec(message)?.[1];
  // SQLite reads an unknown name in double quotes as a text, and its message tells this.
  const quoted = /^"(.*)" - should this be /s.exec(column ?? "")?.[1]?.replaceAll('""', '"');
  const name = quoted ?? (table ?? column)?.split(".").at(-1);
  return { message, ...(name === undefined ? {} : { missing: { kind: table === undefined ? "column" : "table", name } }) };
}
