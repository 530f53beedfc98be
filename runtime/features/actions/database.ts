import { touches } from "../../outgoing/touches.ts";
import type { Act, Run } from "../../run/run.ts";
import { anyArray } from "../../shapes/shape.ts";
import { Failure } from "../../value/failure.ts";
import type { Json } from "../../value/json.ts";
import type { Action } from "../feature.ts";
import { connect, type DriverOf, failed, type Pingable, type SourceOf } from "./database/source.ts";

/** Bounds of one query. */
export interface QueryLimits {
  /**
   * Gives a signal for the end of the run. Only a query that takes long asks for it, because making and watching a signal costs more than
   * the rest of our work in a short query.
   */
  readonly signal?: () => AbortSignal;
  /** A query that has waited for its connection asks whether its run was cancelled meanwhile. */
  readonly isCancelled?: () => boolean;
  /** Milliseconds; without it that of the connection counts. */
  readonly timeout?: number | undefined;
}

/** The settings of one query. */
export interface QueryOptions extends QueryLimits {
  /** How many of the last params are sent with the type of their value. The server finds out the types of the others. */
  readonly typed?: number;
  /** True when the query may change the session, which is then renewed before the connection is used again. */
  readonly session?: boolean;
}

/** Rejects with the driver's own error, or with a `Failure` where the driver has none. */
export interface Connection extends Pingable {
  /**
   * Rows of the query; without `params` the text may hold several statements, and the last one that returns rows counts
   * (spec/language 5.4.2).
   */
  readonly query: (text: string, params: readonly Json[] | undefined, options: QueryOptions) => Promise<Json[]>;
  /** Runs a batch and drops its rows. */
  readonly script: (text: string, options: QueryOptions) => Promise<void>;
}

export type Driver = DriverOf<Connection>;

export type DatabaseSource = SourceOf<Connection>;

/** Null means unset, as for every field that held a marker. */
export interface DatabaseArgs {
  readonly query: string;
  /** Bound in order: null, boolean, number and string as they are, objects and arrays as compact JSON text. */
  readonly params?: readonly Json[] | null;
  /** Values of the markers that are parameters of their own, bound behind `params` with their types. */
  readonly values?: readonly Json[] | null;
  /**
   * True when the statement may change the session of its connection. With a list it may, unless each text of the list, which stands in the
   * statement unchanged, is a name.
   */
  readonly session?: boolean | readonly Json[] | null;
  /**
   * The entry of `params` and `values` together, from 0, of each placeholder, for a driver whose placeholders have no numbers; absent when
   * they are in order.
   */
  readonly order?: readonly number[] | null;
  /** Forces a batch: several statements, no params, no rows. */
  readonly multi?: boolean | null;
  readonly timeout?: number | null;
}

/** Runs a query; the data is a list of rows, empty for statements that return none (spec/language 5.4). */
export async function database(act: Act, source: DatabaseSource, args: DatabaseArgs): Promise<Json> {
  const { query, multi, timeout, values, session } = args;
  const { exchanges } = act.run.shared;
  const options: QueryOptions = {
    signal: () => act.signal,
    isCancelled: () => act.cancellation.aborted,
    timeout: timeout ?? undefined,
    typed: values?.length ?? 0,
    session: changesSession(session),
  };
  const { speaks } = source.driver;
  if (speaks !== "documents") touches(act.run, { kind: "query", text: query, database: source.name, speaks });
  try {
    if (source.load !== undefined) {
      await source.load(act.run);
      act.throwIfCancelled();
    }
    const connection = connect(source, act.run);
    const params = ordered(args);
    const bound = params?.length ? params : undefined;
    const rows = multi === true ? await connection.script(query, options).then(() => []) : await connection.query(query, bound, options);
    exchanges?.asked(act, source.name, query, bound, rows);
    return rows;
  } catch (error) {
    const failure = failed(error, source, act.run);
    exchanges?.asked(act, source.name, query, undefined, failure);
    throw failure;
  }
}

const name = /^\s*[\w$]+(?:\.[\w$]+)*(?:\s+(?:asc|desc))?\s*$/i;

function changesSession(session: DatabaseArgs["session"]): boolean {
  if (typeof session === "boolean" || !session) return session === true;
  return !session.every((text) => text === null || (typeof text === "string" && name.test(text)));
}

function ordered({ params, values, order }: DatabaseArgs): readonly Json[] | null | undefined {
  const bound = values ? [...(params ?? []), ...values] : params;
  return (
    order?.map((index) => {
      const value = bound?.[index];
      // The compiler checks the number of params in a list; the length of a list that a marker gives is known only now.
      if (value === undefined)
        throw new Failure("database", `database: query has a placeholder ${index + 1}, params has ${params?.length ?? 0}`);
      return value;
    }) ?? bound
  );
}

/** Sends the database one query, for `/readyz`. Throws `Failure` when the database does not answer it. */
export async function ping<C extends Pingable>(source: SourceOf<C>, run: Run): Promise<void> {
  try {
    if (source.load !== undefined) await source.load(run);
    await connect(source, run).ping();
  } catch (error) {
    throw failed(error, source, run);
  }
}

/** The part of an action that queries a database. It has no `run`, because a query also needs its database. */
export const spec: Omit<Action<DatabaseArgs>, "run"> = {
  summary: "Query a database.",
  effect: "state",
  written: "fields",
  schema: {
    type: "object",
    required: ["database", "query"],
    additionalProperties: false,
    properties: {
      database: { type: "string", context: "static", names: "database", description: "Name of an entry of global.databases." },
      query: {
        type: "string",
        minLength: 1,
        context: "sql",
        description: "SQL with placeholders ? or $1; a bare marker in it is a parameter, too.",
      },
      params: { type: "array", items: {}, description: "Values of the placeholders, in order." },
      multi: { type: "boolean", context: "static", default: false, description: "Run several statements as a batch without rows." },
      timeout: { type: ["string", "number"], format: "duration", description: "Time for the whole action." },
      driver: {
        type: "string",
        context: "static",
        description: "Driver of the action's own connection; by default what conn_string says.",
      },
      conn_string: { type: "string", description: "Address of the action's own connection, in place of an entry of global.databases." },
    },
  },
  shape: () => anyArray,
};
