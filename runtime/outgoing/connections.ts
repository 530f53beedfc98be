import { Socket } from "node:net";
import type { buildConnector, Dispatcher } from "undici";
import { Roster } from "../value/roster.ts";
import { type Call, Connection, type Connections, type OpenClient } from "./connection.ts";
import { Demand } from "./demand.ts";

/** The client of HTTP, which is loaded by the first call. */
export type Undici = typeof import("undici");

/** Bounds of the connections to one origin. */
interface Bounds {
  /** The most connections while no call waits long, and also later when this number is enough again. */
  readonly usual: number;
  /** The most connections at any time. */
  readonly most: number;
  /**
   * Milliseconds between two looks at the waiting calls. A call that waits at two looks in a row, which is one to two of these times, gets
   * a new connection.
   */
  readonly patience: number;
}

const usualBounds: Bounds = { usual: 64, most: 256, patience: 100 };

/**
 * The connections of a process to all origins, as a dispatcher of undici. The pools of undici search all their connections for each call
 * and keep a context for each waiting call. This dispatcher has the free connections at hand and takes the one that was used last, so that
 * no more stay open than are needed. A connection serves one call at a time.
 */
export function connectionsOf(
  undici: Undici,
  connect: buildConnector.connector,
  monotonic: () => number,
  bounds = usualBounds,
): Dispatcher {
  return new (class extends undici.Dispatcher {
    readonly #origins = new Map<string, Origin>();

    override dispatch(options: Dispatcher.DispatchOptions, call: Call): boolean {
      const name = String(options.origin);
      (this.#origins.get(name) ?? this.#add(name)).take(options, call);
      return true;
    }

    #add(name: string): Origin {
      const forget = (): void => void this.#origins.delete(name);
      const origin = new Origin(opener(undici, name, connect), bounds, monotonic, forget);
      this.#origins.set(name, origin);
      return origin;
    }

    /** Keeps no free connections. Calls that are under way or in line still end normally. */
    override async close(): Promise<void> {
      for (const origin of this.#origins.values()) origin.retire();
    }

    override async destroy(): Promise<void> {
      await Promise.all([...this.#origins.values()].map((origin) => origin.destroy()));
    }
  })();
}

/** Opens clients of one connection to an origin. */
const opener =
  (undici: Undici, origin: string, connect: buildConnector.connector): OpenClient =>
  (connects, connected) => {
    const connector: buildConnector.connector = (to, callback) => {
      const socket: unknown = connect(to, (...result) => {
        if (result[0] === null) connected(result[1]);
        callback(...result);
      });
      if (socket instanceof Socket) connects(socket);
    };
    // Every call has its own time limits (runtime/features/actions/http/exchange.ts), finer than those of a client.
    return new undici.Client(origin, { headersTimeout: 0, bodyTimeout: 0, allowH2: false, connect: connector });
  };

interface Waiting {
  readonly options: Dispatcher.DispatchOptions;
  readonly call: Call;
}

/** The connections to one origin, and the calls that wait for one. */
class Origin implements Connections {
  readonly #open: OpenClient;
  readonly #bounds: Bounds;
  readonly #monotonic: () => number;
  readonly #forget: () => void;
  readonly #all = new Set<Connection>();
  /** The connections without a call; the last one was used last. */
  readonly #free: Connection[] = [];
  readonly #waiting = new Roster<Waiting>();
  /** The number of calls in line that were already there at the last look of the timer. */
  #seen = 0;
  #timer: NodeJS.Timeout | undefined;
  #isRetired = false;
  readonly #demand: Demand;
  /** Connections that are kept when a call has ended. */
  #kept: number;

  constructor(open: OpenClient, bounds: Bounds, monotonic: () => number, forget: () => void) {
    this.#open = open;
    this.#bounds = bounds;
    this.#monotonic = monotonic;
    this.#forget = forget;
    this.#demand = new Demand(bounds.usual, bounds.patience, monotonic());
    this.#kept = bounds.most;
  }

  take(options: Dispatcher.DispatchOptions, call: Call): void {
    const free = this.#free.pop() ?? (this.#all.size < this.#bounds.usual ? this.#another() : undefined);
    if (free !== undefined) free.serve(options, call);
    else {
      this.#waiting.add({ options, call });
      this.#watch();
    }
  }

  /** A connection has become free: the call that has waited longest takes it. A connection that was closed is not kept. */
  released(connection: Connection): void {
    this.#demand.ended();
    if (this.#all.size > this.#kept) {
      this.closed(connection);
      return;
    }
    const next = this.#next();
    if (next !== undefined) connection.serve(next.options, next.call);
    else if (connection.isConnected && !this.#isRetired) this.#free.push(connection);
    else this.closed(connection);
  }

  /** Forgets a connection that is not needed or was closed. */
  closed(connection: Connection): void {
    const index = this.#free.indexOf(connection);
    if (index >= 0) this.#free.splice(index, 1);
    this.#all.delete(connection);
    void connection.destroy();
    if (this.#all.size === 0) this.#forget();
  }

  /** Serves a call by a new connection, which takes the place of the one that has failed and closes. */
  again(options: Dispatcher.DispatchOptions, call: Call): void {
    this.#another().serve(options, call);
  }

  /** Closes the free connections, and keeps no further ones. */
  retire(): void {
    this.#isRetired = true;
    for (const connection of [...this.#free]) this.closed(connection);
  }

  async destroy(): Promise<void> {
    clearTimeout(this.#timer);
    for (let next = this.#next(); next !== undefined; next = this.#next())
      next.call.onResponseError?.(nobody, new Error("the process ends"));
    await Promise.all([...this.#all].map((connection) => connection.destroy()));
  }

  #another(): Connection {
    const connection = new Connection(this.#open, this);
    this.#all.add(connection);
    return connection;
  }

  #next(): Waiting | undefined {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      this.#seen = Math.max(0, this.#seen - 1);
      if (next.call.isOver !== true) return next;
    }
    return undefined;
  }

  /** Looks again and again at the number of connections, as long as calls wait or more are open than usual. */
  #watch(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#grow();
      this.#shrink();
      if (this.#seen > 0 || this.#all.size > this.#bounds.usual) this.#watch();
    }, this.#bounds.patience).unref();
  }

  /** Opens connections for calls that were already in line at the last look: they have waited long enough. */
  #grow(): void {
    while (this.#seen > 0 && this.#all.size < this.#bounds.most) {
      const next = this.#next();
      if (next === undefined) return;
      this.#another().serve(next.options, next.call);
    }
    this.#seen = this.#waiting.size;
  }

  /** When the usual connections would be enough, closes free ones beyond them at once, and busy ones when their calls have ended. */
  #shrink(): void {
    const { usual, most } = this.#bounds;
    if (this.#all.size <= usual) return;
    const load = { busy: this.#all.size - this.#free.length, waiting: this.#waiting.size };
    this.#kept = this.#demand.isUsual(load, this.#monotonic()) ? usual : most;
    while (this.#all.size > this.#kept && this.#free[0] !== undefined) this.closed(this.#free[0]);
  }
}

/** The controller of calls that have never begun. */
const nobody: Dispatcher.DispatchController = {
  aborted: true,
  paused: false,
  reason: null,
  rawHeaders: null,
  rawTrailers: null,
  abort: () => undefined,
  pause: () => undefined,
  resume: () => undefined,
};
