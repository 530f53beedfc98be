import type { Log } from "../process/host.ts";
import { Failure } from "../value/failure.ts";
import { messageOf } from "../value/thrown.ts";
import { StateFull, type StateStore } from "./store.ts";

/**
 * A store as a process uses it: an error of the backend goes to the log, and the caller gets the failure of an unavailable state, after
 * which it may try again.
 */
export class GuardedStore implements StateStore {
  readonly #store: StateStore;
  readonly #log: Log;
  readonly #waitedMs: () => number;
  /** True after a write that was refused for lack of room or because the backend did not answer, until a write succeeds. */
  #refuses = false;

  /** `waitedMs` says how long the oldest write has waited. */
  constructor(store: StateStore, log: Log, waitedMs = (): number => 0) {
    this.#store = store;
    this.#log = log;
    this.#waitedMs = waitedMs;
  }

  readonly get: StateStore["get"] = (place) => this.#asked(this.#store.get(place));
  readonly set: StateStore["set"] = (place, value, write) => this.#written(this.#store.set(place, value, write));
  readonly advance: StateStore["advance"] = (place, value, ttl, signal) => this.#written(this.#store.advance(place, value, ttl, signal));
  readonly delete: StateStore["delete"] = (place, signal) => this.#asked(this.#store.delete(place, signal));
  readonly seen: StateStore["seen"] = (set, ids, remember) => this.#written(this.#store.seen(set, ids, remember));
  readonly close = (): void | Promise<void> => this.#store.close();

  /**
   * Rejects when the store does not answer, lets a write wait for long, or refuses writes. To find this out, it writes a value that expires
   * at once.
   */
  async answers(): Promise<void> {
    await this.get(probe);
    if (this.#waitedMs() >= longMs) throw new Failure("state", "writes wait for another process that has the file");
    if (this.#refuses) await this.set(probe, null, { ttl: 1 });
  }

  async #written<T>(answer: Promise<T>): Promise<T> {
    try {
      const result = await this.#asked(answer);
      this.#refuses = false;
      return result;
    } catch (error) {
      // Other errors, such as a value that is too long, do not predict the next write.
      if (error instanceof StateFull || (error instanceof Failure && error.details.cause !== undefined)) this.#refuse(error);
      throw error;
    }
  }

  #refuse(failure: Failure): void {
    if (!this.#refuses) this.#log("error", `writes are refused: ${failure.message}`);
    this.#refuses = true;
  }

  async #asked<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof Failure && error.kind === "state") throw error;
      throw isFull(error) ? new StateFull(error) : unavailable(error, this.#log);
    }
  }
}

/** Milliseconds from which a write counts as waiting for long. */
const longMs = 2_000;

const probe = { namespace: "pipewright", key: "readyz" };

/** True when the file, or the disk below it, is full: SQLite reports this by a number, PostgreSQL by a code. */
const isFull = (error: unknown): boolean =>
  error instanceof Error && (("errcode" in error && error.errcode === 13) || ("code" in error && error.code === "53100"));

/** The failure that a caller gets for an error of a backend. */
export function unavailable(error: unknown, log: Log): Failure {
  log("error", messageOf(error));
  return new Failure("state", "state is not available", { cause: error });
}
