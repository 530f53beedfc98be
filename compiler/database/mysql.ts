import type { Connection } from "mysql2";
import { dialOf, session } from "#runtime/features/actions/database/mysql-options.ts";
import type { Settings } from "#runtime/features/actions/database/settings.ts";
import { verbOf } from "#runtime/languages/sql/tokens.ts";
import { any, boolean, nothing, number, type Shape, string, union } from "#runtime/shapes/shape.ts";
import { codeOf } from "#runtime/value/thrown.ts";
import type { Statement } from "../5-analyse/shapes/statement.ts";
import { type Column, type Description, mostNames, patience, type QueryRefusal, type Server } from "./server.ts";

/** A column in the protocol, in the form of mysql2. */
interface Field {
  readonly name: string;
  readonly orgTable: string;
  readonly columnType: number;
  readonly columnLength: number;
  readonly flags: number;
  /** An addition of MariaDB: `json` for a column that is text in the protocol. */
  readonly extendedFormat?: string;
}

/** Opens a connection to MySQL or MariaDB. A statement is prepared in a transaction that is rolled back, and never executed. */
export async function openMysql(settings: Settings): Promise<Server> {
  const client = await connected({ ...settings, timeout: Math.min(settings.timeout, patience) });
  return {
    describe: (statement) => described(client, statement),
    tables: () => names(client, "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()", []),
    columns: (tables) =>
      tables.length === 0
        ? Promise.resolve([])
        : names(
            client,
            `SELECT DISTINCT COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_NAME IN (${tables.map(() => "?").join()}) AND TABLE_SCHEMA = DATABASE()`,
            tables.map((table) => table.split(".").at(-1) ?? ""),
          ),
    close: () => client.destroy(),
  };
}

async function connected(settings: Settings): Promise<Connection> {
  const { createConnection } = await import("mysql2");
  const { options, plainIfMust } = dialOf(settings);
  const open = async ({ ssl, ...rest }: typeof options): Promise<Connection> => {
    const client = createConnection(ssl === undefined ? rest : { ...rest, ssl });
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    client.on("error", reject);
    client.connect((error) => (error ? reject(error) : resolve()));
    await promise.catch((error: unknown) => {
      client.destroy();
      throw error;
    });
    return client;
  };
  const client = await open(options).catch((error: unknown) => {
    if (!plainIfMust || codeOf(error) !== "HANDSHAKE_NO_SSL_SUPPORT") throw error;
    const { ssl: _, ...plain } = options;
    return open(plain);
  });
  await ask(client, `${session}; SET SESSION lock_wait_timeout = 1`);
  return client;
}

const reading: ReadonlySet<string> = new Set(["select", "with", "values", "table"]);

async function described(client: Connection, statement: Statement): Promise<Description> {
  // The server refuses to prepare a writing statement in a read-only transaction.
  await ask(client, reading.has(verbOf(statement.tokens) ?? "") ? "START TRANSACTION READ ONLY" : "START TRANSACTION");
  try {
    const fields = await prepared(client, statement.text);
    return { columns: fields.map((field) => columnOf(field, statement)) };
  } catch (error) {
    if (isOther(error)) return { columns: [] };
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    return { refusal };
  } finally {
    await ask(client, "ROLLBACK");
  }
}

function prepared(client: Connection, text: string): Promise<readonly Field[]> {
  return timed((resolve, reject) => {
    client.prepare(text, (error, statement) => {
      if (error) return reject(error);
      // mysql2, which is pinned to one version, stores the descriptions in this field.
      const fields = Reflect.get(statement, "columns");
      client.unprepare(text);
      resolve(Array.isArray(fields) ? (fields as Field[]) : []);
    });
  });
}

const ask = (client: Connection, text: string): Promise<unknown> =>
  timed((resolve, reject) => {
    client.query(text, (error, rows) => (error ? reject(error) : resolve(rows)));
  });

async function names(client: Connection, text: string, values: readonly string[]): Promise<readonly string[]> {
  const rows = await timed<unknown>((resolve, reject) => {
    client.execute(`${text} ORDER BY 1 LIMIT ${mostNames}`, [...values], (error, found) => (error ? reject(error) : resolve(found)));
  });
  return Array.isArray(rows) ? rows.map(([name]) => String(name)) : [];
}

function timed<T>(work: (resolve: (value: T) => void, reject: (error: unknown) => void) => void): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>();
  const late = setTimeout(() => reject(new Error(`no answer within ${patience} ms`)), patience);
  work(resolve, reject);
  return promise.finally(() => clearTimeout(late));
}

function columnOf(field: Field, { placeholders, compound, plain }: Statement): Column {
  // The type of an expression with placeholders is known only with their values.
  const isCertain = !placeholders || (field.orgTable !== "" && !compound);
  const shape = isCertain ? shapeOf(field) : any;
  return { name: field.name, shape: plain && (field.flags & notNull) !== 0 ? shape : union(shape, nothing) };
}

const notNull = 1;
const unsigned = 32;
const wide = union(number, string);

/** The JSON shapes of the types in the protocol (enum_field_types), as mysql-types.ts reads them; other types are texts. */
function shapeOf({ columnType, columnLength, flags, extendedFormat }: Field): Shape {
  if (extendedFormat === "json") return any;
  switch (columnType) {
    case 1: // TINYINT; of one digit it is BOOLEAN
      return columnLength === 1 && (flags & unsigned) === 0 ? union(boolean, number) : number;
    case 2: // SMALLINT
    case 3: // INT
    case 4: // FLOAT
    case 5: // DOUBLE
    case 9: // MEDIUMINT
    case 13: // YEAR
      return number;
    case 0: // DECIMAL
    case 8: // BIGINT
    case 16: // BIT
    case 246: // DECIMAL
      return wide;
    case 6: // NULL
    case 245: // JSON
    case 255: // a geometry
      return any;
    default:
      return string;
  }
}

/** True for an error that is not about the text of the statement, such as an error of locks, or a statement that cannot be prepared. */
const isOther = (error: unknown): boolean =>
  error instanceof Error && "sqlState" in error && !("fatal" in error && error.fatal === true) && refusalOf(error) === undefined;

/** The refusal in an error of the server about the statement; undefined for other errors. */
function refusalOf(error: unknown): QueryRefusal | undefined {
  if (!(error instanceof Error) || !("sqlState" in error) || !/^(?:42|22)/.test(String(error.sqlState))) return undefined;
  const { message } = error;
  const kind = codeOf(error) === "ER_NO_SUCH_TABLE" ? "table" : codeOf(error) === "ER_BAD_FIELD_ERROR" ? "column" : undefined;
  const name = /'([^']*)'/.exec(message)?.[1]?.split(".").at(-1);
  return { message, ...(kind === undefined || name === undefined ? {} : { missing: { kind, name } }) };
}
