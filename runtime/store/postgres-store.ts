import { setImmediate as turn } from "node:timers/promises";
import type { Pool, PoolClient } from "pg";
import { deadline } from "../features/actions/database/deadline.ts";
import { openPool } from "../features/actions/database/postgres.ts";
import { cancel } from "../features/actions/database/postgres-ask.ts";
import { postgresOptions } from "../features/actions/database/postgres-options.ts";
import { isBroken, isStale } from "../features/actions/database/postgres-query.ts";
import { masked, readSettings, type Settings } from "../features/actions/database/settings.ts";
import type { Log } from "../process/host.ts";
import { codeOf } from "../value/thrown.ts";
import { Unusable } from "../value/unusable.ts";
import { Outage, outage } from "./outage.ts";
import { PostgresBatch, Prepared, type Statement } from "./postgres-batch.ts";
import { PostgresSession } from "./postgres-session.ts";
import type { Row } from "./run-rows.ts";
import type { OnSeen } from "./runs.ts";
import { postgresSteps, refuseNewer } from "./schema.ts";

/** The milliseconds of a batch, including its wait for a connection. */
const timeout = 5_000;

/** The most batches under way at once; meanwhile the next batch collects. */
const lanes = 3;

/** The most units of one batch. */
const mostOfBatch = 128;

/** How often work is sent again after a conflict with another transaction. */
const rounds = 5;

export type Results = readonly (readonly Row[])[];

/** Work that is one step: all of its statements are run, or none. */
interface Unit {
  readonly statements: readonly Statement[];
  /** The row that the unit locks. All nodes lock rows in the order of these texts, so that no deadlock occurs. */
  readonly lock: string;
  readonly done: (results: Results) => void;
  readonly failed: (error: unknown) => void;
}

/** A statement of a batch has failed; `at` is its index. */
class Refused extends Error {
  readonly at: number;
  constructor(at: number, cause: Error) {
    super(cause.message, { cause });
    this.at = at;
  }
}

/**
 * A database of PostgreSQL with one pool for everything that this process stores there. Queries of one turn of the event loop are sent and
 * committed together. A lost connection fails the queries under way, and the next query opens another one.
 */
export class PostgresStore {
  readonly #settings: Settings;
  readonly #log: Log;
  readonly #prepared = new Prepared();
  #pool: Promise<Pool> | undefined;
  #tables: Promise<void> | undefined;
  #waiting: Unit[] = [];
  #isScheduled = false;
  #busy = 0;

  constructor(address: string, log: Log) {
    this.#settings = settingsOf(address);
    this.#log = log;
  }

  /** Rows of one statement. `lock` names the row that it writes; statements without one go first. */
  async ask(text: string, values: Statement["values"], lock = ""): Promise<readonly Row[]> {
    return (await this.unit([{ text, values }], lock))[0] ?? [];
  }

  /** Rows of statements that are one step. Each statement sees what is committed after the waits of the statements before it. */
  unit(statements: readonly Statement[], lock: string): Promise<Results> {
    return new Promise((done, failed) => {
      this.#waiting.push({ statements, lock, done, failed });
      void this.#flush();
    });
  }

  /** Rows of statements that lock several rows or take long: they are one step, in a transaction of their own. */
  alone(...statements: readonly Statement[]): Promise<Results> {
    return new Promise((done, failed) => void this.#send([{ statements, lock: "", done, failed }]));
  }

  /** A session that shows other nodes that this one lives. */
  session(node: string, onSeen?: OnSeen): PostgresSession {
    return new PostgresSession(() => this.#single(), node, onSeen);
  }

  /** A pool of one connection, which the caller owns; rejects when the database does not answer. */
  async single(): Promise<Pool> {
    await this.#ready();
    return this.#single();
  }

  async close(): Promise<void> {
    await (await this.#pool)?.end();
  }

  #single(): Promise<Pool> {
    return openPool({ ...this.#settings, max_open_conns: 1 }, this.#log);
  }

  /** Sends waiting units at the end of this turn, or when a batch has come back. */
  async #flush(): Promise<void> {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    await turn();
    this.#isScheduled = false;
    while (this.#busy < lanes && this.#waiting.length > 0) {
      const units = this.#waiting.splice(0, mostOfBatch).sort((a, b) => (a.lock < b.lock ? -1 : a.lock > b.lock ? 1 : 0));
      this.#busy += 1;
      void this.#send(units).finally(() => {
        this.#busy -= 1;
        void this.#flush();
      });
    }
  }

  /** Sends units as one transaction. A refused unit fails, and the others are sent again. Never rejects. */
  async #send(units: readonly Unit[], round = 1): Promise<void> {
    try {
      await this.#ready();
      const results = await this.#transaction(units.flatMap(({ statements }) => statements));
      let from = 0;
      for (const { statements, done } of units) {
        done(results.slice(from, from + statements.length));
        from += statements.length;
      }
    } catch (error) {
      if (error instanceof Refused) await this.#sendRest(units, error, round);
      else for (const { failed } of units) failed(this.#clean(error));
    }
  }

  async #sendRest(units: readonly Unit[], refused: Refused, round: number): Promise<void> {
    const { cause } = refused;
    if (isStale(cause) && this.#prepared.isUsed) {
      this.#prepared.isUsed = false;
      return this.#send(units, round);
    }
    if (isPushedAside(cause) && round < rounds) {
      for (const unit of units) await this.#send([unit], round + 1);
      return;
    }
    let end = 0;
    const wrong = units.find(({ statements }) => {
      end += statements.length;
      return refused.at < end;
    });
    wrong?.failed(this.#clean(cause));
    const rest = units.filter((unit) => unit !== wrong);
    if (rest.length > 0) await this.#send(rest, round);
  }

  #transaction(statements: readonly Statement[]): Promise<Results> {
    return this.#lend(
      (client, done) =>
        void client.query(
          new PostgresBatch(statements, this.#prepared, (error, results) => {
            if (error === undefined) done(false, undefined, results);
            else if (isBroken(error)) done(true, outage(error), []);
            else done(false, new Refused(results.length, error), []);
          }),
        ),
    );
  }

  /** Lends a connection for `timeout` milliseconds. After that the server is told to cancel the query, and the connection is dropped. */
  async #lend(
    use: (client: PoolClient, done: (drop: boolean, error: Error | undefined, results: Results) => void) => void,
  ): Promise<Results> {
    this.#pool ??= openPool(this.#settings, this.#log);
    const pool = await this.#pool;
    return new Promise((resolve, reject) => {
      let client: PoolClient | undefined;
      let isOver = false;
      const done = (drop: boolean, error: Error | undefined, results: Results): void => {
        if (isOver) return;
        isOver = true;
        inTime();
        client?.release(drop);
        if (error === undefined) resolve(results);
        else reject(error);
      };
      const inTime = deadline({ timeout }, (why) => {
        if (client !== undefined) cancel(client);
        done(true, why, []);
      });
      pool.connect((failure, lent) => {
        if (lent === undefined) return done(false, outage(failure ?? new Error("no connection")), []);
        if (isOver) return lent.release();
        client = lent;
        use(lent, done);
      });
    });
  }

  /** Brings the tables to the version of this pipewright. After an outage, the next query tries again. */
  #ready(): Promise<void> {
    this.#tables ??= this.#migrate().catch((error: unknown) => {
      this.#tables = undefined;
      throw error;
    });
    return this.#tables;
  }

  async #migrate(): Promise<void> {
    // A user of the database who may not create tables can use existing ones.
    const version = await this.#version();
    refuseNewer(version, postgresSteps.length);
    if (version === postgresSteps.length) return;
    const script = migration;
    await this.#lend(
      (client, done) =>
        void client.query(script).then(
          () => done(false, undefined, []),
          (error: Error) => done(true, error, []),
        ),
    );
    refuseNewer(await this.#version(), postgresSteps.length);
  }

  async #version(): Promise<number> {
    try {
      const [rows] = await this.#transaction([{ text: "SELECT version FROM pw_schema", values: [] }]);
      return Number(rows?.[0]?.version ?? 0);
    } catch (error) {
      if (error instanceof Refused && codeOf(error.cause) === "42P01") return 0;
      throw error instanceof Refused ? error.cause : error;
    }
  }

  /** Removes parts of the address that a driver may have quoted. */
  #clean(error: unknown): unknown {
    if (!(error instanceof Error)) return error;
    const message = masked(error.message, this.#settings);
    if (message === error.message) return error;
    return Object.assign(error instanceof Outage ? new Outage(message) : new Error(message), { code: codeOf(error) });
  }
}

/** The settings of an address. An address that can never connect is refused here. */
function settingsOf(address: string): Settings {
  const settings = readSettings({ conn_string: address });
  try {
    postgresOptions(settings);
  } catch (error) {
    throw new Unusable(`the address of the store: ${error instanceof Error ? error.message : String(error)}`);
  }
  return settings;
}

/**
 * Runs all steps that a database lacks, as one transaction. Nodes that start together take turns, because with `IF NOT EXISTS` alone two of
 * them may create the same table.
 */
const migration = `SELECT pg_advisory_xact_lock(hashtext('pipewright'), hashtext('pw_schema'));
  CREATE TABLE IF NOT EXISTS pw_schema (one boolean PRIMARY KEY DEFAULT true CHECK (one), version bigint NOT NULL);
  INSERT INTO pw_schema (version) VALUES (0) ON CONFLICT DO NOTHING;
  DO $pw$ BEGIN
${postgresSteps.map((step, i) => `IF (SELECT version FROM pw_schema) <= ${i} THEN ${step} END IF;`).join("\n")}
  UPDATE pw_schema SET version = ${postgresSteps.length} WHERE version < ${postgresSteps.length};
  END $pw$;`;

/** True for a deadlock and for a conflict with a changed row: no change was made. */
const isPushedAside = (error: unknown): boolean => ["40P01", "40001", "55P03"].includes(String(codeOf(error)));
