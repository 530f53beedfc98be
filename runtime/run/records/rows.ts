import type { Connection, DatabaseSource } from "../../features/actions/database.ts";
import { touches } from "../../outgoing/touches.ts";
import type { Dialect } from "../../plan/dialect.ts";
import type { RunRecord } from "../end/run-line.ts";
import type { RecordTo } from "../interface.ts";
import { keep, limits, recordsName } from "./keep.ts";

/** Records of runs as rows of the table `pipewright_log`, which is created when it is missing (spec/language 7.9). */
export const run_rows =
  (source: DatabaseSource): RecordTo =>
  (run, record) =>
    keep(run, source, (connection) => {
      const may = (verb: "insert" | "create"): void => touches(run, { kind: "tables", name: recordsName, of: source.name, verb });
      return insert(connection, columnsOf(source.driver.speaks), record, may);
    });

/** Tries the row first: where the table exists, the user of the database need not have the right to create it. */
async function insert(
  connection: Connection,
  writing: Writing,
  record: RunRecord,
  may: (verb: "insert" | "create") => void,
): Promise<void> {
  may("insert");
  const { run_uuid, config, interface: target, trigger, http_code, ms, errors } = record;
  const values = [run_uuid, config, target, trigger, http_code, ms, errors];
  const columns = names.map(writing.quoted).join(", ");
  const text = `INSERT INTO ${recordsName} (${columns}) VALUES (${names.map((_, i) => writing.placeholder(i + 1)).join(", ")})`;
  try {
    await connection.query(text, values, limits);
  } catch (missing) {
    may("create");
    // Another process may create the table at the same moment, so only the second insert decides.
    const failure = await connection.script(tableOf(writing), limits).then(
      () => undefined,
      () => missing,
    );
    await connection.query(text, values, limits).catch((error: unknown) => {
      throw failure ?? error;
    });
  }
}

const names = ["run_uuid", "config", "interface", "trigger", "http_code", "ms", "errors"] as const;

/** How a driver quotes names and writes placeholders, and the types of its columns. */
interface Writing {
  readonly quoted: (name: string) => string;
  readonly placeholder: (number: number) => string;
  readonly types: { readonly text: string; readonly list: string; readonly now: string };
  /** Wraps the statement that creates the table. */
  readonly unlessThere: (columns: string) => string;
}

function tableOf({ quoted, types, unlessThere }: Writing): string {
  const typeOf = (column: (typeof names)[number]): string =>
    column === "http_code" || column === "ms" ? "integer" : column === "errors" ? types.list : types.text;
  const columns = names.map((column) => `${quoted(column)} ${typeOf(column)} NOT NULL`);
  return unlessThere([...columns, `${quoted("logged_at")} ${types.now}`].join(", "));
}

const ifNotExists = (columns: string): string => `CREATE TABLE IF NOT EXISTS ${recordsName} (${columns})`;
const doubleQuoted = (name: string): string => `"${name}"`;

const writings: Readonly<Record<Dialect, Writing>> = {
  postgres: {
    quoted: doubleQuoted,
    placeholder: (number) => `$${number}`,
    types: { text: "text", list: "jsonb", now: "timestamptz NOT NULL DEFAULT now()" },
    unlessThere: ifNotExists,
  },
  mysql: {
    quoted: (name) => `\`${name}\``,
    placeholder: () => "?",
    types: { text: "text", list: "json", now: "datetime(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3)" },
    unlessThere: ifNotExists,
  },
  mssql: {
    quoted: (name) => `[${name}]`,
    placeholder: (number) => `@p${number}`,
    types: { text: "nvarchar(max)", list: "nvarchar(max)", now: "datetime2(3) NOT NULL DEFAULT SYSUTCDATETIME()" },
    unlessThere: (columns) => `IF OBJECT_ID(N'${recordsName}', N'U') IS NULL CREATE TABLE ${recordsName} (${columns})`,
  },
  sqlite: {
    quoted: doubleQuoted,
    placeholder: (number) => `?${number}`,
    types: { text: "text", list: "text", now: "text NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))" },
    unlessThere: ifNotExists,
  },
};

/** Documents are written by another file, so that a source of rows always uses SQL. */
function columnsOf(dialect: Dialect | "documents"): Writing {
  if (dialect === "documents") throw new Error("rows are not kept among documents");
  return writings[dialect];
}
