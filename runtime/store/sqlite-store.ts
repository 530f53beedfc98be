import type { DatabaseSync, StatementSync } from "node:sqlite";
import { setTimeout, setImmediate as turn } from "node:timers/promises";
import type { Work } from "../threads/slices.ts";
import { Outage } from "./outage.ts";
import { damaged, isBusy } from "./sqlite-errors.ts";
import { openSqlite } from "./sqlite-opening.ts";

/** Milliseconds between two tries to get a lock that another process has, and in all: a long transaction may take seconds. */
const retry = { pause: 10, most: 15_000 } as const;

/** Milliseconds that opening waits for other processes. */
const openMs = 5_000;

/** Milliseconds that a call waits for other processes, since the whole process stands still meanwhile. */
const callMs = 10;

/** How many writes share a commit: more of them would hold up the process for too long. */
const writesOfCommit = 500;

/** A write that waits for the commit of its turn. */
interface Write {
  readonly work: () => void;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * A file of SQLite: all that one process keeps there goes over this connection. The journal is a WAL and every commit is synchronised, so
 * what was promised is on the disk. Writes of one turn share a commit. Processes of one machine may share the file: while one of them
 * writes, writes of the others wait without holding up their process.
 */
export class SqliteStore {
  readonly #open: (waitMs: number) => DatabaseSync;
  #opened: DatabaseSync | undefined;
  #isClosed = false;
  readonly #prepared = new Map<string, StatementSync>();
  readonly #path: string;
  readonly #clock: () => number;
  #latest = Number.NEGATIVE_INFINITY;
  #waiting: Write[] = [];
  #isFlushing = false;
  /** The last piece of work that takes the lock; the next one follows it. It never rejects. */
  #last: Promise<void> = Promise.resolve();
  /** Work of several steps that is in the middle of its transaction. It never rejects. */
  #steps: Promise<void> | undefined;

  /**
   * `mostBytes` bounds a database that is in memory. A file that cannot be opened now, since its disk is full, is opened by the first call
   * that finds room. Throws `Unusable` when that could never be.
   */
  constructor(path: string, mostBytes: number, clock: () => number) {
    this.#path = path;
    this.#clock = clock;
    this.#open = (waitMs) => {
      const database = openSqlite(path, { waitMs, mostBytes });
      database.exec(`PRAGMA busy_timeout = ${callMs}`);
      return database;
    };
    try {
      this.#opened = this.#open(openMs);
    } catch (error) {
      if (!(error instanceof Outage)) throw error;
    }
  }

  /** The clock of the process, which may be set back; that of the store is not: what has expired stays so. */
  now(): number {
    this.#latest = Math.max(this.#latest, this.#clock());
    return this.#latest;
  }

  /** A statement, which is prepared once. */
  ask(query: string): StatementSync {
    const prepared = this.#prepared.get(query);
    if (prepared !== undefined) return prepared;
    const statement = this.#db.prepare(query);
    this.#prepared.set(query, statement);
    return statement;
  }

  /** Reads what is on the disk. */
  async read<T>(work: () => T): Promise<T> {
    while (this.#steps !== undefined) await this.#steps;
    return this.#tried(work);
  }

  /** Does work as one step, which is on the disk when the answer comes. It is undone when it throws, and may be done twice then. */
  write<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      let answer: { readonly value: T } | undefined;
      this.#waiting.push({
        work: () => {
          answer = { value: work() };
        },
        done: () => (answer === undefined ? reject(new Error("a write was not done")) : resolve(answer.value)),
        failed: reject,
      });
      this.#flush();
    });
  }

  /** Does work of several steps as one transaction. Others of the process have their turns between the steps, and see nothing of them. */
  steps<T>(work: Work<T>): Promise<T> {
    return this.#next(async () => {
      await this.#locked();
      const done = this.#all(work);
      this.#steps = done.then(nothing, nothing);
      try {
        return await done;
      } finally {
        this.#steps = undefined;
      }
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#prepared.clear();
    this.#opened?.close();
  }

  get #db(): DatabaseSync {
    if (this.#opened === undefined && this.#isClosed) throw new Outage("the store is closed");
    this.#opened ??= this.#open(callMs);
    return this.#opened;
  }

  /** Does work that takes the lock, after all that was asked before. */
  #next<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.then(nothing, nothing);
    return done;
  }

  /** Commits what waits at the end of this turn. */
  #flush(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    void this.#next(async () => {
      await turn();
      this.#isFlushing = false;
      const writes = this.#waiting.splice(0, writesOfCommit);
      try {
        await this.#locked();
        this.#commit(writes);
      } catch (error) {
        for (const { failed } of writes) failed(damaged(error, this.#path));
      }
      if (this.#waiting.length > 0) this.#flush();
    });
  }

  /** Does writes in the transaction that has begun, and answers those that are on the disk. */
  #commit(writes: readonly Write[]): void {
    const left = new Set(writes);
    for (const write of writes) {
      try {
        this.ask("SAVEPOINT pw").run();
        write.work();
        this.ask("RELEASE pw").run();
      } catch (error) {
        write.failed(damaged(error, this.#path));
        left.delete(write);
        if (this.#isInTransaction) this.#db.exec("ROLLBACK TO pw; RELEASE pw");
        else {
          // SQLite itself has undone all of them, as it does when there is no room: the others have another transaction.
          this.#waiting.unshift(...left);
          return;
        }
      }
    }
    try {
      this.#db.exec("COMMIT");
    } catch (error) {
      if (this.#isInTransaction) this.#db.exec("ROLLBACK");
      throw error;
    }
    for (const { done } of left) done();
  }

  /**
   * Begins a transaction with its lock: one that begins with reading could not get it later when another process wrote meanwhile. While
   * another process has it, this one serves others and tries again.
   */
  async #locked(): Promise<void> {
    for (let waited = 0; ; waited += retry.pause) {
      try {
        this.#db.exec("BEGIN IMMEDIATE");
        return;
      } catch (error) {
        if (!isBusy(error) || waited >= retry.most) throw damaged(error, this.#path);
      }
      await setTimeout(retry.pause);
    }
  }

  /** Does the steps of a transaction that has begun. */
  async #all<T>(work: Work<T>): Promise<T> {
    let isDone = false;
    try {
      for (;;) {
        const step = this.#tried(() => work.next());
        if (step.done !== true) {
          await turn();
          continue;
        }
        this.#db.exec("COMMIT");
        isDone = true;
        return step.value;
      }
    } finally {
      if (!isDone && this.#isInTransaction) this.#db.exec("ROLLBACK");
    }
  }

  /** A database that was closed meanwhile has undone its transaction itself. */
  get #isInTransaction(): boolean {
    return this.#opened?.isOpen === true && this.#opened.isTransaction;
  }

  #tried<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw damaged(error, this.#path);
    }
  }
}

const nothing = (): void => undefined;
