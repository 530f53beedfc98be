import { createHash } from "node:crypto";
import type { Connection, Submittable } from "pg";
import type { Row } from "./run-rows.ts";

/** A statement with its params, which are sent as texts. */
export interface Statement {
  readonly text: string;
  readonly values: readonly (string | number | null)[];
}

/** Names of the statements that connections have prepared. */
export class Prepared {
  readonly #names = new Map<string, string>();
  readonly #prepared = new WeakMap<Connection, Set<string>>();
  /** False behind a pooler, where the next statement may go to another session. */
  isUsed = true;

  nameOf(text: string): string {
    if (!this.isUsed) return "";
    const name = this.#names.get(text) ?? `pw_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`;
    this.#names.set(text, name);
    return name;
  }

  of(connection: Connection): Set<string> {
    const names = this.#prepared.get(connection) ?? new Set();
    this.#prepared.set(connection, names);
    return names;
  }
}

/**
 * Statements that are sent together and end with one `Sync`: PostgreSQL runs them in order as one transaction, and the answers come in one
 * round trip. Each statement sees the changes that are committed when it begins.
 */
export class PostgresBatch implements Submittable {
  readonly #statements: readonly Statement[];
  readonly #prepared: Prepared;
  readonly #done: (error: Error | undefined, results: readonly (readonly Row[])[]) => void;
  readonly #results: Row[][] = [];
  readonly #parsed: string[] = [];
  #columns: readonly string[] = [];
  #rows: Row[] = [];

  /** `done` gets the results of the statements that have run; with an error, those of the statements before the failed one. */
  constructor(
    statements: readonly Statement[],
    prepared: Prepared,
    done: (error: Error | undefined, results: readonly (readonly Row[])[]) => void,
  ) {
    this.#statements = statements;
    this.#prepared = prepared;
    this.#done = done;
  }

  submit(connection: Connection): void {
    const names = this.#prepared.of(connection);
    connection.stream.cork();
    for (const { text, values } of this.#statements) {
      const name = this.#prepared.nameOf(text);
      if (name === "" || !names.has(name)) {
        // The server accepts the closing of an unknown name.
        if (name !== "") connection.close({ type: "S", name });
        connection.parse({ name, text });
        names.add(name);
        this.#parsed.push(name);
      }
      connection.bind({ statement: name, values: values.map((value) => (value === null ? null : String(value))) });
      connection.describe({ type: "P" });
      connection.execute();
    }
    connection.sync();
    connection.stream.uncork();
  }

  // Called by pg as the server's messages arrive.

  handleRowDescription({ fields }: { readonly fields: readonly { readonly name: string }[] }): void {
    this.#columns = fields.map(({ name }) => name);
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    this.#rows.push(Object.fromEntries(this.#columns.map((name, i) => [name, fields[i] ?? null])));
  }

  handleCommandComplete(): void {
    this.#results.push(this.#rows);
    this.#rows = [];
  }

  handleReadyForQuery(): void {
    this.#done(undefined, this.#results);
  }

  handleError(error: Error, connection: Connection): void {
    // Statements after the failed one were not prepared.
    for (const name of this.#parsed) this.#prepared.of(connection).delete(name);
    this.#done(error, this.#results);
  }

  handleCopyInResponse(connection: Connection): void {
    connection.sendCopyFail("COPY FROM STDIN has no input here");
  }

  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}
  handleCopyData(): void {}
}
