import type { Client, Connection, Submittable } from "pg";
import { postgresOptions } from "#runtime/features/actions/database/postgres-options.ts";
import { isBroken, undetermined } from "#runtime/features/actions/database/postgres-query.ts";
import { elementOf, firstUserType, textType } from "#runtime/features/actions/database/postgres-types.ts";
import type { Settings } from "#runtime/features/actions/database/settings.ts";
import { any, anyArray, boolean, nothing, number, type Shape, string, union } from "#runtime/shapes/shape.ts";
import type { Statement } from "../5-analyse/shapes/statement.ts";
import { type Description, mostNames, patience, type Server } from "./server.ts";

/** A column in the protocol, with the numbers of its table and of the column in it, or 0. */
interface Field {
  readonly name: string;
  readonly tableID: number;
  readonly columnID: number;
  readonly dataTypeID: number;
}

/** Opens a connection to PostgreSQL. Each statement is parsed and described in a read-only transaction, and never bound or executed. */
export async function openPostgres(settings: Settings): Promise<Server> {
  const { default: pg } = await import("pg");
  const client = new pg.Client({
    ...postgresOptions(settings),
    connectionTimeoutMillis: patience,
    query_timeout: patience,
  });
  // A broken connection also emits `error`, which would end the process without a listener. Its query gets the error, too.
  client.on("error", () => undefined);
  await client.connect();
  return {
    describe: (statement) => inTransaction(client, () => described(client, statement)),
    tables: () => names(client, tablesOfServer, []),
    columns: (tables) => names(client, columnsOfTables, [tables.map((table) => table.split(".").at(-1) ?? "")]),
    close: () => void client.end().catch(() => undefined),
  };
}

const begin = `BEGIN READ ONLY; SET LOCAL statement_timeout = ${patience}; SET LOCAL lock_timeout = 1000; SET LOCAL standard_conforming_strings = on`;

async function inTransaction<T>(client: Client, work: () => Promise<T>): Promise<T> {
  await client.query(begin);
  try {
    return await work();
  } finally {
    await client.query("ROLLBACK");
  }
}

async function described(client: Client, statement: Statement): Promise<Description> {
  try {
    const fields = await parsed(client, statement.text);
    return { columns: await columnsOf(client, fields, statement) };
  } catch (error) {
    const refusal = refusalOf(error, statement.text);
    // An error of locks or of the time limit of a statement states nothing about its text.
    if (refusal === undefined && !isBroken(error)) return { columns: [] };
    if (refusal === undefined) throw error;
    return { refusal };
  }
}

/** Parses a statement. The server infers the types of its params; if it cannot, they are texts, as for the driver. */
async function parsed(client: Client, text: string, types: readonly number[] = []): Promise<readonly Field[]> {
  try {
    return await fieldsOf(client, text, types);
  } catch (error) {
    const param = undetermined(error);
    if (param === undefined || types[param - 1] === textType) throw error;
    await client.query(`ROLLBACK; ${begin}`);
    const allTypes = Array.from({ length: Math.max(types.length, param) }, (_, i) => (i === param - 1 ? textType : (types[i] ?? 0)));
    return parsed(client, text, allTypes);
  }
}

function fieldsOf(client: Client, text: string, types: readonly number[]): Promise<readonly Field[]> {
  const { promise, resolve, reject } = Promise.withResolvers<readonly Field[]>();
  const late = setTimeout(() => reject(new Error(`no answer within ${patience} ms`)), patience);
  const done = (settle: () => void): void => {
    clearTimeout(late);
    settle();
  };
  client.query(new Described(text, types, (error, fields) => done(() => (error === undefined ? resolve(fields) : reject(error)))));
  return promise;
}

/** Sends Parse, Describe and Sync, the messages for which a server describes the result of a statement. */
class Described implements Submittable {
  readonly #text: string;
  readonly #types: readonly number[];
  readonly #done: (error: Error | undefined, fields: readonly Field[]) => void;
  #fields: readonly Field[] = [];

  constructor(text: string, types: readonly number[], done: (error: Error | undefined, fields: readonly Field[]) => void) {
    this.#text = text;
    this.#types = types;
    this.#done = done;
  }

  submit(connection: Connection): void {
    connection.parse({ name: "", text: this.#text, types: this.#types });
    connection.describe({ type: "S", name: "" });
    connection.sync();
  }

  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.#fields = fields;
  }

  handleReadyForQuery(): void {
    this.#done(undefined, this.#fields);
  }

  handleError(error: Error): void {
    this.#done(error, []);
  }
}

const wide = union(number, string);

/** The JSON shapes of built-in types, as postgres-types.ts reads them; other types are texts. */
const scalars: Readonly<Record<number, Shape>> = {
  16: boolean,
  20: wide, // int8
  21: number, // int2
  23: number, // int4
  26: number, // oid
  28: number, // xid
  114: any, // json
  700: wide, // float4
  701: wide, // float8
  1700: wide, // numeric
  3802: any, // jsonb
};

async function columnsOf(client: Client, fields: readonly Field[], { compound, typed, plain }: Statement) {
  const lists = await arraysAmong(client, fields);
  const never = plain ? await neverNull(client, fields) : new Set();
  return fields.map((field) => {
    // The value of a marker is sent with its own type, which may change the type of an expression or of a union.
    const isCertain = !typed || (field.tableID !== 0 && !compound);
    const isList = elementOf(field.dataTypeID) !== undefined || lists.has(field.dataTypeID);
    const shape = !isCertain ? any : isList ? anyArray : (scalars[field.dataTypeID] ?? string);
    return { name: field.name, shape: never.has(`${field.tableID}.${field.columnID}`) ? shape : union(shape, nothing) };
  });
}

/** The array types among types that users have made. */
async function arraysAmong(client: Client, fields: readonly Field[]): Promise<ReadonlySet<number>> {
  const oids = fields.map(({ dataTypeID }) => dataTypeID).filter((oid) => oid >= firstUserType);
  if (oids.length === 0) return new Set();
  const { rows } = await client.query("SELECT oid FROM pg_catalog.pg_type WHERE typcategory = 'A' AND oid = ANY ($1::oid[])", [oids]);
  return new Set(rows.map(({ oid }) => Number(oid)));
}

/** The columns of tables that are never null. A foreign table, a parent table and a constraint that was not validated do not count. */
async function neverNull(client: Client, fields: readonly Field[]): Promise<ReadonlySet<string>> {
  const tables = [...new Set(fields.map(({ tableID }) => tableID).filter((oid) => oid !== 0))];
  if (tables.length === 0) return new Set();
  const { rows } = await client.query(
    `SELECT a.attrelid AS relation, a.attnum AS number FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
     WHERE a.attnotnull AND a.attrelid = ANY ($1::oid[]) AND (c.relkind = 'p' OR (c.relkind = 'r' AND NOT c.relhassubclass))
     AND NOT EXISTS (SELECT FROM pg_catalog.pg_constraint n
       WHERE n.conrelid = a.attrelid AND n.contype = 'n' AND NOT n.convalidated AND a.attnum = ANY (n.conkey))`,
    [tables],
  );
  return new Set(rows.map(({ relation, number }) => `${relation}.${number}`));
}

const tablesOfServer = `SELECT relname AS name FROM pg_catalog.pg_class
  WHERE relkind IN ('r', 'v', 'm', 'p', 'f') AND pg_catalog.pg_table_is_visible(oid) AND relnamespace <> 'pg_catalog'::regnamespace
  ORDER BY 1 LIMIT ${mostNames}`;

const columnsOfTables = `SELECT DISTINCT a.attname AS name FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid
  WHERE c.relname = ANY ($1::text[]) AND a.attnum > 0 AND NOT a.attisdropped ORDER BY 1 LIMIT ${mostNames}`;

const names = (client: Client, text: string, values: readonly unknown[]): Promise<readonly string[]> =>
  inTransaction(client, async () => (await client.query(text, [...values])).rows.map(({ name }) => String(name)));

/** The refusal in an error of the server about the statement; undefined for other errors. */
function refusalOf(error: unknown, text: string) {
  if (!(error instanceof Error) || !("code" in error) || typeof error.code !== "string" || !/^(?:42|3F|0A|22)/.test(error.code))
    return undefined;
  const kind = error.code === "42P01" ? "table" : error.code === "42703" ? "column" : undefined;
  const name = kind === undefined || !("position" in error) ? undefined : nameAt(text, Number(error.position));
  return { message: error.message, ...(kind === undefined || name === undefined ? {} : { missing: { kind, name } as const }) };
}

/**
 * The last part of the name at a position, which the server counts in characters from 1. The message of the server is not used, since it
 * may be in any language.
 */
function nameAt(text: string, position: number): string | undefined {
  const rest = [...text].slice(position - 1).join("");
  const [path] = /^(?:"(?:[^"]|"")*"|[\p{L}_][\p{L}\p{N}_$]*)(?:\s*\.\s*(?:"(?:[^"]|"")*"|[\p{L}_][\p{L}\p{N}_$]*))*/u.exec(rest) ?? [];
  const last = path === undefined ? undefined : /(?:"(?<quoted>(?:[^"]|"")*)"|(?<word>[^".\s]+))$/.exec(path)?.groups;
  return last?.quoted?.replaceAll('""', '"') ?? last?.word?.toLowerCase();
}
