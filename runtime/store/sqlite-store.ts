import type { DatabaseSync, StatementSync } from "node:sqlite";
import { setTimeout, setImmediate as turn } from "node:timers/promises";
import type { Work } from "../threads/slices.ts";
import { Failure } from "../value/failure.ts";
import { Outage } from "./outage.ts";
import { damaged, isBusy } from "./sqlite-errors.ts";
import { openSqlite } from "./sqlite-opening.ts";

/** Milliseconds between two attempts to get a lock that another process has. */
const pauseMs = 10;

/** Milliseconds that a write waits at most, from its call on: a long transaction of another process may take seconds. */
export const writeMs = 15_000;

/** The clock by which writes wait; a test replaces it. */
export interface Waiting {
  readonly monotonic: () => number;
  readonly pause: (ms: number) => Promise<unknown>;
}

const usualWaiting: Waiting = { monotonic: () => performance.now(), pause: setTimeout };

/** Milliseconds that opening and each call wait for other processes; the whole process stands still meanwhile. */
const [openMs, callMs] = [5_000, 10];

/** The most writes of one commit; more of them would block the process for too long. */
const writesOfCommit = 500;

/** A write that waits for the commit of its turn. */
interface Write {
  readonly work: () => void;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
  readonly limit: Limit;
}

/** A write fails after this time, or when its signal aborts. */
interface Limit {
  readonly until: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * A file of SQLite with one connection for everything that this process stores there. The journal is a WAL and every commit is
 * synchronised, so that answered writes are on the disk. Writes of one turn share a commit. Processes of one machine may share the file:
 * while one of them writes, writes of the others wait without blocking their process.
 */
export class SqliteStore {
  readonly #open: (waitMs: number) => DatabaseSync;
  #opened: DatabaseSync | undefined;
  #isClosed = false;
  readonly #prepared = new Map<string, StatementSync>();
  readonly #path: string;
  readonly #clock: () => number;
  readonly #timing: Waiting;
  #latest = Number.NEGATIVE_INFINITY;
  #waiting: Write[] = [];
  #isFlushing = false;
  /** The last piece of work that takes the lock; the next piece follows it. It never rejects. */
  #last: Promise<void> = Promise.resolve();
  /** The call times of all work that takes the lock or waits for it. */
  readonly #asked: number[] = [];
  /** True while another process has the lock. */
  #isLockedOut = false;
  /** Work of several steps whose transaction is open. It never rejects. */
  #steps: Promise<void> | undefined;

  /**
   * `mostBytes` bounds a database in memory. A file that cannot be opened yet, for example on a full disk, is opened by the first call that
   * can. Throws `Unusable` when the operator has to act first.
   */
  constructor(path: string, mostBytes: number, clock: () => number, timing: Waiting = usualWaiting) {
    this.#path = path;
    this.#timing = timing;
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

  /** The time of the store. The clock of the process may be set back, but this time never goes back, so that expired rows stay expired. */
  now(): number {
    this.#latest = Math.max(this.#latest, this.#clock());
    return this.#latest;
  }

  /** A statement, prepared at its first use. */
  ask(query: string): StatementSync {
    const prepared = this.#prepared.get(query);
    if (prepared !== undefined) return prepared;
    const statement = this.#db.prepare(query);
    this.#prepared.set(query, statement);
    return statement;
  }

  /** Reads committed data. */
  async read<T>(work: () => T): Promise<T> {
    while (this.#steps !== undefined) await this.#steps;
    return this.#tried(work);
  }

  /** Milliseconds for which the oldest write has waited for a lock of another process. */
  get waitedMs(): number {
    const now = this.#timing.monotonic();
    return this.#isLockedOut ? now - (this.#asked[0] ?? now) : 0;
  }

  /**
   * Does work as one step, which is on the disk when the promise resolves. Work that throws is rolled back, and may be done a second time.
   * It is not done when the signal aborts before its turn.
   */
  write<T>(work: () => T, signal?: AbortSignal): Promise<T> {
    const limit = this.#limit(signal);
    return new Promise((resolve, reject) => {
      let answer: { readonly value: T } | undefined;
      this.#waiting.push({
        work: () => {
          answer = { value: work() };
        },
        done: () => (answer === undefined ? reject(new Error("a write was not done")) : resolve(answer.value)),
        failed: reject,
        limit,
      });
      this.#flush();
    });
  }

  /** Does work of several steps as one transaction. Other calls of the process get turns between the steps, and see none of its changes. */
  steps<T>(work: Work<T>, signal?: AbortSignal): Promise<T> {
    const limit = this.#limit(signal);
    return this.#next(async () => {
      await this.#locked((busy) => {
        const reason = this.#reason(limit, busy);
        if (reason !== undefined) throw reason;
        return true;
      });
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

  /** Does work that takes the lock, after all work that was asked for earlier. */
  #next<T>(work: () => Promise<T>): Promise<T> {
    this.#asked.push(this.#timing.monotonic());
    const done = this.#last.then(work).finally(() => this.#asked.shift());
    this.#last = done.then(nothing, nothing);
    return done;
  }

  /** Commits the waiting writes at the end of this turn. */
  #flush(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    void this.#next(async () => {
      await turn();
      const writes: Write[] = [];
      const take = (): number => writes.push(...this.#waiting.splice(0, writesOfCommit));
      try {
        if (await this.#locked((busy) => this.#sift(busy))) {
          take();
          this.#commit(writes);
        }
      } catch (error) {
        if (writes.length === 0) take();
        for (const { failed } of writes) failed(damaged(error, this.#path));
      }
      this.#isFlushing = false;
      if (this.#waiting.length > 0) this.#flush();
    });
  }

  #limit(signal: AbortSignal | undefined): Limit {
    return { until: this.#timing.monotonic() + writeMs, signal };
  }

  /** The reason why a write is not done any more; `busy` is the error of a lock that another process has. */
  #reason({ until, signal }: Limit, busy: unknown): unknown {
    if (signal?.aborted === true) return new Failure("state", "the caller is gone");
    return busy === undefined || this.#timing.monotonic() < until ? undefined : damaged(busy, this.#path);
  }

  /** Refuses waiting writes that are not done any more; true when some are left. */
  #sift(busy: unknown): boolean {
    this.#waiting = this.#waiting.filter(({ limit, failed }) => {
      const reason = this.#reason(limit, busy);
      if (reason !== undefined) failed(reason);
      return reason === undefined;
    });
    return this.#waiting.length > 0;
  }

  /** Does writes in the open transaction, and answers those that are committed. */
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
          // SQLite has rolled back the whole transaction, for example on a full disk: the other writes get another one.
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
   * Begins a transaction with the write lock, because a transaction that begins with a read may not get the lock later. While another
   * process has the lock, this process serves others and tries again as long as `isWanted` gives true. False when the lock is not wanted
   * any more.
   */
  async #locked(isWanted: (busy: unknown) => boolean): Promise<boolean> {
    try {
      for (let busy: unknown; isWanted(busy); await this.#timing.pause(pauseMs)) {
        try {
          this.#db.exec("BEGIN IMMEDIATE");
          return true;
        } catch (error) {
          if (!isBusy(error)) throw damaged(error, this.#path);
          busy = error;
        }
        this.#isLockedOut = true;
      }
      return false;
    } finally {
      this.#isLockedOut = false;
    }
  }

  /** Does the steps of an open transaction. */
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

  /** False after the database was closed, which has rolled its transaction back. */
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
