import type { Connection, Submittable } from "pg";
import { codeOf } from "../../../value/thrown.ts";

// Members of pg 8, which is pinned to one version (lib/connection.js, lib/client.js), beyond its published types.

declare module "pg" {
  interface Connection {
    /** Texts of the prepared statements of this connection, by name, oldest first; pg adds to it when the server has parsed one. */
    parsedStatements: Record<string, string>;
    parse(statement: { readonly name: string; readonly text: string; readonly types?: readonly number[] }): void;
    bind(values: { readonly statement: string; readonly values: readonly (string | null)[] }): void;
    describe(described: { readonly type: "P" } | { readonly type: "S"; readonly name: string }): void;
    execute(): void;
    close(statement: { readonly type: "S"; readonly name: string }): void;
    sendCopyFail(reason: string): void;
  }

  interface ClientBase {
    readonly connection: Connection;
    /** The key of the session, with which it can be cancelled. */
    readonly processID: number;
    readonly secretKey: number;
  }
}

export interface Column {
  readonly name: string;
  readonly dataTypeID: number;
}

/** One result: columns, and rows in the server's text form. */
export interface Result {
  readonly columns: readonly Column[];
  readonly rows: readonly (string | null)[][];
}

/** The text and the values that a query sends. Without `values` the text goes as it is and may hold several statements. */
export interface Question {
  readonly text: string;
  /** Name of the prepared statement; empty for one that is used once. */
  readonly name: string;
  readonly values?: readonly (string | null)[];
  /** Types of the values by their oids, 0 for one that the server finds out. */
  readonly types?: readonly number[];
  /** True when the session is renewed before the connection is used again. */
  readonly session?: boolean | undefined;
}

const statementsPerConnection = 256;

/**
 * The error of a statement that an earlier query has prepared and that was refused before it ran. Its params may have types that the
 * columns no longer have. When it is prepared anew, the same query may succeed.
 */
export class NotBegun extends Error {
  readonly severity = "ERROR";
  readonly code: unknown;
  constructor(cause: Error) {
    super(cause.message, { cause });
    this.code = Reflect.get(cause, "code");
  }
}

/** Classes of errors that the statement has not caused: locks and conflicts, resources, and actions of an operator. */
const ofCircumstances = /^(?:40|53|55|57)/;

/**
 * True when the server refused to start a prepared statement: its columns have changed, or it was dropped or never made behind a pooler.
 */
export function isStale(error: unknown): boolean {
  if (!(error instanceof Error) || !("code" in error)) return false;
  const changed = error.code === "0A000" && "routine" in error && error.routine === "RevalidateCachedQuery";
  return changed || error.code === "26000" || error.code === "42P05";
}

/**
 * The number, from 1, of the param whose type the server could not find out, as in `concat($1)`. The statement was refused before it began.
 * A text constant in that place would count as text.
 */
export function undetermined(error: unknown): number | undefined {
  if (!(error instanceof Error) || codeOf(error) !== "42P18") return undefined;
  const digits = /\$(\d+)/.exec(error.message)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** True when the connection cannot be used again: not the statement has failed, or the server ends the session. */
export function isBroken(error: unknown): boolean {
  return !(error instanceof Error && "severity" in error && error.severity === "ERROR");
}

/**
 * A query as pg's connection runs it, by the interface that pg-cursor and pg-query-stream use. It collects the texts of the last
 * result and leaves types to the caller: half the work of pg's own `Query` (about 15 of 40 µs for 10 rows of 5 columns).
 */
export class PostgresQuery implements Submittable {
  readonly text: string;
  readonly name: string;
  readonly #values: readonly (string | null)[] | undefined;
  readonly #types: readonly number[] | undefined;
  readonly #done: (error: Error | undefined, result: Result | undefined) => void;
  #columns: readonly Column[] | undefined;
  #rows: (string | null)[][] = [];
  /** True until the server has accepted the values for a statement that an earlier query has prepared. */
  #isUnbound = false;
  readonly #bound = (): void => {
    this.#isUnbound = false;
  };

  constructor(question: Question, done: (error: Error | undefined, result: Result | undefined) => void) {
    this.text = question.text;
    this.name = question.name;
    this.#values = question.values;
    this.#types = question.types;
    this.#done = done;
  }

  submit(connection: Connection): void {
    if (this.#values === undefined) {
      connection.query(this.text);
      return;
    }
    connection.stream.cork();
    if (this.name === "" || connection.parsedStatements[this.name] === undefined) this.#parse(connection);
    else {
      this.#isUnbound = true;
      connection.once("bindComplete", this.#bound);
    }
    connection.bind({ statement: this.name, values: this.#values });
    connection.describe({ type: "P" });
    connection.execute();
    connection.sync();
    connection.stream.uncork();
  }

  #parse(connection: Connection): void {
    if (this.name !== "") {
      // Behind a pooler the server may know the name already; closing one that it does not know is no error.
      connection.close({ type: "S", name: this.name });
      const [oldest, ...others] = Object.keys(connection.parsedStatements);
      if (oldest !== undefined && others.length + 1 >= statementsPerConnection) {
        connection.close({ type: "S", name: oldest });
        delete connection.parsedStatements[oldest];
      }
    }
    connection.parse({ name: this.name, text: this.text, ...(this.#types === undefined ? {} : { types: this.#types }) });
  }

  // Called by pg as the server's messages arrive.

  handleRowDescription(message: { readonly fields: readonly Column[] }): void {
    this.#columns = message.fields;
    this.#rows = [];
  }

  handleDataRow(message: { readonly fields: (string | null)[] }): void {
    this.#rows.push(message.fields);
  }

  handleReadyForQuery(): void {
    this.#done(undefined, this.#columns === undefined ? undefined : { columns: this.#columns, rows: this.#rows });
  }

  handleError(error: Error, connection: Connection): void {
    const isNotBegun = this.#isUnbound && !isBroken(error) && !("code" in error && ofCircumstances.test(String(error.code)));
    connection.removeListener("bindComplete", this.#bound);
    // Without its entry in this table the statement is prepared anew.
    if (isStale(error)) delete connection.parsedStatements[this.name];
    this.#done(isNotBegun ? new NotBegun(error) : error, undefined);
  }

  handleCopyInResponse(connection: Connection): void {
    connection.sendCopyFail("COPY FROM STDIN has no input here");
    // The server has ignored the first `sync`, because it was waiting for input.
    if (this.#values !== undefined) connection.sync();
  }

  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
  handleCopyData(): void {}
}
