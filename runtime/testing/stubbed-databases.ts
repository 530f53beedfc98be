import { readSettings } from "../features/actions/database/settings.ts";
import type { Connections, Pingable, SourceOf } from "../features/actions/database/source.ts";
import { sqlite } from "../features/actions/database/sqlite.ts";
import type { Connection, QueryOptions } from "../features/actions/database.ts";
import type { DocumentConnection, DocumentRequest } from "../features/actions/document_operation.ts";
import type { Run } from "../run/run.ts";
import { Failure } from "../value/failure.ts";
import { isObject, type Json, type JsonObject } from "../value/json.ts";
import { messageOf } from "../value/thrown.ts";
import { type Effects, withoutEmpty } from "./effects.ts";
import { oneLine, wildcard } from "./wildcard.ts";
import type { DatabaseStub, ScriptedQuery, World } from "./world.ts";

/** The databases of a run: each is connected to its stub, and its queries are noted. */
export class StubbedDatabases implements Connections {
  readonly opened = new WeakMap<object, never>();
  readonly #stubs: World["databases"];
  readonly #outside: World["outside"];
  readonly #effects: Effects;
  readonly #connections = new Map<string, Promise<Pingable>>();
  /** The scripted queries that the run has not asked, by database. */
  readonly #left = new Map<string, ScriptedQuery[]>();

  constructor({ databases: stubs, outside }: Pick<World, "databases" | "outside">, effects: Effects) {
    this.#stubs = stubs;
    this.#outside = outside;
    this.#effects = effects;
    for (const [name, stub] of Object.entries(stubs)) if (stub.kind === "script") this.#left.set(name, [...stub.queries]);
  }

  /** The scripted queries that the run has not asked, by database. */
  get unasked(): ReadonlyMap<string, readonly ScriptedQuery[]> {
    return this.#left;
  }

  readonly standIn = (source: SourceOf<Pingable>, run: Run): Pingable => {
    const { name } = source;
    const note = (text: string, params: readonly Json[] | undefined): void =>
      this.#effects.add({
        query: text.trim(),
        database: name,
        ...withoutEmpty({ params: params === undefined ? undefined : [...params] }),
      });
    const opened = (): Promise<Pingable> => {
      const connection = this.#connections.get(name) ?? this.#open(source, run);
      this.#connections.set(name, connection);
      return connection;
    };
    const standIn: Connection & DocumentConnection = {
      query: async (text, params, options) => {
        note(text, params);
        const rows = this.#scripted(name, text, params);
        if (rows !== undefined) return Array.isArray(rows) ? rows : [rows];
        const connection = (await opened()) as Connection; // the driver of the source gives it, or SQLite, which speaks SQL
        return failing(() => connection.query(numbered(text), params, options));
      },
      script: async (text, options) => {
        note(text, undefined);
        if (this.#scripted(name, text, undefined) !== undefined) return;
        const connection = (await opened()) as Connection;
        await failing(() => connection.script(text, options));
      },
      perform: async (request, limits) => {
        const { text, params } = inWords(request);
        note(text, params);
        const result = this.#scripted(name, text, params);
        if (result !== undefined) return result;
        if (this.#stubs[name]?.kind !== "url") throw this.#lacks(`${name} keeps documents: a script or an address stands in for it`);
        const connection = (await opened()) as DocumentConnection; // the driver of the source gives it
        return failing(() => connection.perform(request, limits));
      },
      ping: async () => undefined,
      close: () => undefined,
    };
    return standIn;
  };

  async close(): Promise<void> {
    const all = await Promise.allSettled(this.#connections.values());
    await Promise.allSettled(all.map((each) => (each.status === "fulfilled" ? each.value.close() : undefined)));
  }

  async #open({ name, driver }: SourceOf<Pingable>, { host }: Run): Promise<Pingable> {
    const stub = this.#stubs[name];
    if (stub === undefined) throw this.#lacks(`the run queries the database ${name}, of which the test says nothing`);
    if (stub.kind === "url") return driver.open(readSettings({ conn_string: stub.url }), host.log);
    const connection = sqlite.open(readSettings({ conn_string: "sqlite::memory:" }), host.log);
    await this.#setUp(connection, stub, name);
    return connection;
  }

  async #setUp(connection: Connection, stub: DatabaseStub, name: string): Promise<void> {
    if (stub.kind !== "memory") return;
    const options: QueryOptions = {};
    for (const text of stub.setup) {
      try {
        await connection.script(text, options);
      } catch (error) {
        throw this.#lacks(`the setup of ${name} has failed: ${messageOf(error)}`);
      }
    }
  }

  /** The answer of the first query in the script that fits; each is used once. Undefined where a connection answers. */
  #scripted(name: string, text: string, params: readonly Json[] | undefined): Json | undefined {
    const left = this.#left.get(name);
    const outside = this.#stubs[name] === undefined ? this.#outside : undefined;
    if (left === undefined && outside === undefined) return undefined;
    const index = (left ?? []).findIndex((each) => fits(each, text, params));
    const [found] = index < 0 ? [outside?.query(name, text, params ?? [])] : (left ?? []).splice(index, 1);
    if (found === undefined)
      throw this.#lacks(`the run asks the database ${name}, and no query of its script is left for: ${oneLine(text)}`);
    if (found.error !== undefined) throw new Failure("database", `database: ${found.error}`);
    return found.rows;
  }

  #lacks(problem: string): Failure {
    return new Failure("database", `database: ${this.#effects.lacks(problem)}`);
  }
}

async function failing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Failure ? error : new Failure("database", `database: ${messageOf(error)}`, { cause: error });
  }
}

function fits({ query, params }: ScriptedQuery, text: string, asked: readonly Json[] = []): boolean {
  return wildcard(oneLine(query)).test(oneLine(text)) && (params === undefined || JSON.stringify(params) === JSON.stringify(asked));
}

/** Placeholders of PostgreSQL in the form that SQLite numbers, except inside of quoted texts. */
const numbered = (text: string): string =>
  text.replace(/'(?:[^']|'')*'|"[^"]*"|\$(\d+)/g, (found, n?: string) => (n === undefined ? found : `?${n}`));

/** A request for documents in the form of a query: `find orders`, with its filter and its other arguments. */
function inWords({ operation, collection, filter, pipeline, insert, update, options }: DocumentRequest): {
  readonly text: string;
  readonly params: readonly Json[];
} {
  const parts: JsonObject = {
    filter,
    pipeline: [...pipeline],
    insert: [...insert],
    update: isObject(update as Json) ? (update as Json) : [...(update as Json[])],
    options,
  };
  const members = withoutEmpty(parts);
  return { text: `${operation} ${collection}`, params: Object.keys(members).length === 0 ? [] : [members] };
}
