import { Failure } from "../../../value/failure.ts";
import { cancelled, deadline, type WorkLimits } from "./deadline.ts";
import { whenRenewed } from "./renew.ts";

/** How connections of one kind are made and ended, and how many there may be. */
export interface PoolOptions<C> {
  readonly connect: () => Promise<C>;
  /** Closes a connection that is not in use. */
  readonly end: (connection: C) => void | Promise<void>;
  /** Breaks a connection off, and lets the server stop what it is doing for it. */
  readonly abort: (connection: C) => void;
  /** False once it has broken. */
  readonly isAlive: (connection: C) => boolean;
  /** Renews the session of a connection, so that it is as it was when the connection was opened. */
  readonly renew: (connection: C) => Promise<void>;
  readonly most: number;
  /** The most connections that are kept while they are not in use. */
  readonly idle: number;
  /** Milliseconds after which a connection is not used again. */
  readonly lifetime: number | null;
}

/** The result of a piece of work, and whether its connection may be used again: at once, or after its session was renewed. */
export interface WorkResult<T> {
  readonly value: T;
  readonly reusable: boolean | "renewed";
}

/** Thrown when the server has refused the work and the state of the connection is unchanged. */
export class Refused extends Error {
  constructor(cause: unknown) {
    super("refused", { cause });
  }
}

/** Throws the reason of a refusal, for work after which the state of the connection is unknown in any case. */
export function asUnknown(error: unknown): never {
  throw error instanceof Refused ? error.cause : error;
}

interface Held<C> {
  readonly connection: C;
  /** When the connection was made and when it came back, in milliseconds of a clock that never goes back. */
  readonly since: number;
  readonly idleSince: number;
}

/** A caller that waits for a connection. It is woken without one when there is room for a new connection. */
interface Waiter<C> {
  readonly wake: (held?: Held<C>) => void;
}

/** Milliseconds that a connection beyond `idle` is kept, since the next wave may come soon. */
const linger = 10_000;

/**
 * Lends each connection to one piece of work at a time, the one that was used last first. The caller that has waited longest is served
 * first; waiting and connecting are part of the time of the work.
 */
export class Pool<C> {
  readonly #options: PoolOptions<C>;
  readonly #idle: Held<C>[] = [];
  readonly #waiting: Waiter<C>[] = [];
  #open = 0;
  #closed = false;
  #sweep: NodeJS.Timeout | undefined;

  constructor(options: PoolOptions<C>) {
    this.#options = options;
  }

  /** Lends a connection. When time is up or the run is cancelled the server is told to stop, and the connection is dropped. */
  lend<T>(limits: WorkLimits, work: (connection: C) => Promise<WorkResult<T>>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    let held: Held<C> | undefined;
    let isOver = false;
    const end = (reusable: WorkResult<T>["reusable"], settle: () => void): void => {
      if (isOver) return;
      isOver = true;
      inTime();
      if (held === undefined) leave();
      else if (reusable === "renewed") this.#backAsNew(held);
      else this.#back(held, reusable);
      settle();
    };
    const inTime = deadline(limits, (why) => {
      if (isOver) return;
      if (held !== undefined) this.#options.abort(held.connection);
      end(false, () => reject(why));
    });
    const { taken, leave } = this.#take();
    taken.then(
      (taken) => {
        if (isOver) return this.#back(taken, true);
        held = taken;
        if (limits.isCancelled?.()) return end(true, () => reject(cancelled()));
        work(taken.connection).then(
          ({ value, reusable }) => end(reusable, () => resolve(value)),
          (error: unknown) => (error instanceof Refused ? end(true, () => reject(error.cause)) : end(false, () => reject(error))),
        );
      },
      (error: unknown) => end(false, () => reject(error)),
    );
    return promise;
  }

  /** Ends idle connections at once; lent ones end when they come back. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#sweep);
    for (const { wake } of this.#waiting.splice(0)) wake();
    await Promise.allSettled(this.#idle.splice(0).map(({ connection }) => this.#options.end(connection)));
  }

  /** An idle connection, a new one, or the next that comes back; `leave` stops waiting for it. */
  #take(): { readonly taken: Promise<Held<C>>; readonly leave: () => void } {
    const { promise, resolve, reject } = Promise.withResolvers<Held<C>>();
    const look = (): void => {
      const idle = this.#closed ? undefined : this.#fromIdle();
      if (idle !== undefined) resolve(idle);
      else if (this.#closed) reject(new Failure("database", "database: the service is shutting down"));
      else if (this.#open < this.#options.most) this.#connect().then(resolve, reject);
      else this.#waiting.push(waiter);
    };
    const waiter: Waiter<C> = { wake: (held) => (held === undefined ? look() : resolve(held)) };
    look();
    return {
      taken: promise,
      leave: () => {
        const place = this.#waiting.indexOf(waiter);
        if (place >= 0) this.#waiting.splice(place, 1);
      },
    };
  }

  #fromIdle(): Held<C> | undefined {
    for (let last = this.#idle.pop(); last !== undefined; last = this.#idle.pop()) {
      if (this.#isFresh(last)) return last;
      this.#drop(last);
    }
    return undefined;
  }

  async #connect(): Promise<Held<C>> {
    this.#open += 1;
    try {
      const connection = await this.#options.connect();
      return { connection, since: performance.now(), idleSince: 0 };
    } catch (error) {
      this.#open -= 1;
      this.#waiting.shift()?.wake();
      throw error;
    }
  }

  /** The connection is lent again once its session is renewed, and dropped where renewing fails. */
  #backAsNew(held: Held<C>): void {
    whenRenewed(this.#options.renew(held.connection), (isRenewed) => this.#back(held, isRenewed));
  }

  #back(held: Held<C>, reusable: boolean): void {
    if (!reusable || this.#closed || !this.#isFresh(held)) {
      this.#drop(held);
      return;
    }
    const next = this.#waiting.shift();
    if (next !== undefined) {
      next.wake(held);
      return;
    }
    this.#idle.push({ ...held, idleSince: performance.now() });
    this.#sweepLater();
  }

  /** Ends the connections that were used longest ago, when there are more than are kept. */
  #sweepLater(): void {
    if (this.#sweep !== undefined || this.#idle.length <= this.#options.idle) return;
    this.#sweep = setTimeout(() => {
      this.#sweep = undefined;
      const before = performance.now() - linger;
      const old = this.#idle.filter(({ idleSince }) => idleSince <= before).length;
      for (const held of this.#idle.splice(0, Math.min(old, this.#idle.length - this.#options.idle))) this.#drop(held);
      this.#sweepLater();
    }, linger).unref();
  }

  #drop({ connection }: Held<C>): void {
    this.#open -= 1;
    void Promise.resolve(this.#options.end(connection)).catch(() => undefined);
    this.#waiting.shift()?.wake();
  }

  #isFresh({ connection, since }: Held<C>): boolean {
    const { lifetime, isAlive } = this.#options;
    return isAlive(connection) && (lifetime === null || performance.now() - since < lifetime);
  }
}
