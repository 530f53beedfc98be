import type { ParsedKey } from "ssh2";
import type { Host, Resource } from "../../../process/host.ts";
import type { Act } from "../../../run/run.ts";
import type { Json } from "../../../value/json.ts";
import { type Job, perform } from "./job.ts";
import { type PrivateKey, parsedKey, type Utils } from "./private-key.ts";
import type { Server } from "./server.ts";
import { cancelled, connect, type Session } from "./session.ts";

/** Connections to one server with one login; further actions wait in line. */
const mostPerServer = 8;

/** The most connections that stay open while they are not in use, and for how many milliseconds. */
const mostIdle = 32;
const idleMs = 30_000;

/** Private keys that are kept open. */
const mostKeys = 32;

/** Milliseconds that a cancelled action is given to remove what it has begun to write. */
const cleaningMs = 1000;

/** The ways to SFTP servers that a host has: the connections of a process, or what a test puts in their place. */
export interface SftpServers extends Resource {
  /** Does the work of an action; gives its data. Throws `Failure`, or the error of ssh2 that has the status of the server. */
  readonly perform: (act: Act, server: Server, job: Job) => Promise<Json>;
}

export const serversOf = (host: Host): SftpServers => host.resource<SftpServers>("sftp", () => new Servers());

interface Idle {
  readonly key: string;
  readonly session: Session;
  readonly end: NodeJS.Timeout;
}

/** The connections of a process. ssh2 is loaded by the first action. */
class Servers implements SftpServers {
  /** The one that was used last is the last. */
  readonly #idle: Idle[] = [];
  readonly #busy = new Map<string, number>();
  readonly #lines = new Map<string, (() => void)[]>();
  /** The one that was used last is the last. */
  readonly #keys = new Map<string, ParsedKey>();
  #isClosed = false;

  async perform(act: Act, server: Server, job: Job): Promise<Json> {
    const key = JSON.stringify(server);
    await this.#turn(key, act);
    try {
      const session = this.#taken(key) ?? (await this.#connect(server, act));
      return await this.#use(key, session, act, job);
    } finally {
      this.#leave(key);
    }
  }

  async #connect(server: Server, { cancellation }: Act): Promise<Session> {
    const { default: ssh2 } = await import("ssh2");
    return connect(ssh2, server, server.privateKey && this.#keyOf(server.privateKey, ssh2.utils), cancellation);
  }

  /** Opening a key with its passphrase takes a tenth of a second in which nothing else runs, so that it is done once. */
  #keyOf(privateKey: PrivateKey, utils: Utils): ParsedKey {
    const name = JSON.stringify(privateKey);
    const key = this.#keys.get(name) ?? parsedKey(privateKey, utils);
    this.#keys.delete(name);
    this.#keys.set(name, key);
    const [oldest] = this.#keys.keys();
    if (oldest !== undefined && this.#keys.size > mostKeys) this.#keys.delete(oldest);
    return key;
  }

  /** The action has the connection for itself, and gives it back unless something went wrong with it. */
  async #use(key: string, session: Session, act: Act, job: Job): Promise<Json> {
    let cleaning: NodeJS.Timeout | undefined;
    const stop = (): void => {
      session.interrupt(cancelled());
      cleaning = setTimeout(() => session.close(), cleaningMs);
    };
    const unlisten = act.cancellation.listen(stop);
    try {
      act.throwIfCancelled();
      return await perform(session, job);
    } finally {
      unlisten();
      clearTimeout(cleaning);
      if (act.cancellation.aborted || !session.isAlive || this.#isClosed) session.close();
      else this.#keep(key, session);
    }
  }

  close(): void {
    this.#isClosed = true;
    for (const { session, end } of this.#idle.splice(0)) {
      clearTimeout(end);
      session.close();
    }
  }

  /** Waits while there are as many connections to the server as there may be. */
  async #turn(key: string, act: Act): Promise<void> {
    const busy = this.#busy.get(key) ?? 0;
    if (busy < mostPerServer) {
      this.#busy.set(key, busy + 1);
      return;
    }
    const line = this.#lines.get(key) ?? [];
    this.#lines.set(key, line);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    line.push(resolve);
    const unlisten = act.cancellation.listen(() => {
      const place = line.indexOf(resolve);
      // An action that has just got its turn is no longer in line: it learns of the cancellation when it connects, and leaves then.
      if (place < 0) return;
      line.splice(place, 1);
      reject(cancelled());
    });
    await promise.finally(unlisten);
  }

  /** Ends a turn: the next action in line takes its place. */
  #leave(key: string): void {
    const next = this.#lines.get(key)?.shift();
    if (next !== undefined) {
      next();
      return;
    }
    this.#lines.delete(key);
    const busy = (this.#busy.get(key) ?? 1) - 1;
    if (busy === 0) this.#busy.delete(key);
    else this.#busy.set(key, busy);
  }

  #taken(key: string): Session | undefined {
    const at = this.#idle.findLastIndex((idle) => idle.key === key && idle.session.isAlive);
    if (at < 0) return undefined;
    const [idle] = this.#idle.splice(at, 1);
    clearTimeout(idle?.end);
    return idle?.session;
  }

  #keep(key: string, session: Session): void {
    const end = setTimeout(() => this.#drop(session), idleMs).unref();
    this.#idle.push({ key, session, end });
    const [oldest] = this.#idle;
    if (oldest !== undefined && this.#idle.length > mostIdle) this.#drop(oldest.session);
  }

  #drop(session: Session): void {
    const at = this.#idle.findIndex((idle) => idle.session === session);
    if (at >= 0) clearTimeout(this.#idle.splice(at, 1)[0]?.end);
    session.close();
  }
}
