import type { Client, ConnectConfig, ParsedKey, PasswordAuthMethod, PublicKeyAuthMethod, ServerHostKeyAlgorithm, SFTPWrapper } from "ssh2";
import type { Act } from "../../../run/run.ts";
import { Failure } from "../../../value/failure.ts";
import { isPinned, type Server, shownKey } from "./server.ts";

type Ssh2 = typeof import("ssh2");

/** Calls a function of ssh2, which answers by a callback. */
export type Ask = <T>(call: (done: (error: Error | null | undefined, value: T) => void) => void) => Promise<T>;

/** Milliseconds between two keepalive messages, and how many of them may stay without an answer. */
const keepalive = { keepaliveInterval: 10_000, keepaliveCountMax: 3 } as const;

/** Kinds of host keys, in the order in which they are asked for. A host usually has one of each. */
const kinds: readonly (readonly ServerHostKeyAlgorithm[])[] = [
  ["ssh-ed25519"],
  ["ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521"],
  ["rsa-sha2-512", "rsa-sha2-256"],
];

/** A connection with its channel for files. One action has it at a time. */
export class Session {
  readonly sftp: SFTPWrapper;
  readonly #client: Client;
  readonly #timeout: number;
  readonly #waiting = new Set<(why: Failure) => void>();
  #silence: NodeJS.Timeout | undefined;
  #isAlive = true;

  constructor(client: Client, sftp: SFTPWrapper, timeout: number) {
    this.sftp = sftp;
    this.#client = client;
    this.#timeout = timeout;
    const lost = (): void => this.#lose();
    client.on("error", lost).on("close", lost);
    sftp.on("error", lost).on("close", lost);
  }

  /** False once it has broken. */
  get isAlive(): boolean {
    return this.#isAlive;
  }

  /** Rejects with the error of ssh2; with a `Failure` when the server is silent for too long, and when `interrupt` is called. */
  readonly ask: Ask = (call) =>
    new Promise((resolve, reject) => {
      if (!this.#isAlive) {
        reject(lostConnection());
        return;
      }
      this.#waiting.add(reject);
      this.#silence ??= setTimeout(() => this.#expire(), this.#timeout);
      const answered = (): void => {
        this.#waiting.delete(reject);
        if (this.#waiting.size > 0) this.#silence?.refresh();
        else this.#quiet();
      };
      try {
        call((error, value) => {
          answered();
          if (error === null || error === undefined) resolve(value);
          else reject(error);
        });
      } catch (error) {
        // ssh2 throws for operations that the server has not offered.
        answered();
        reject(error);
      }
    });

  /** Rejects all calls that are waiting. Further calls are possible, to clean up. */
  interrupt(why: Failure): void {
    this.#quiet();
    for (const reject of this.#waiting) reject(why);
    this.#waiting.clear();
  }

  /** Closes the connection, and with it all transfers. */
  close(): void {
    this.#isAlive = false;
    this.interrupt(lostConnection());
    this.#client.end();
    this.#client.destroy();
  }

  #quiet(): void {
    clearTimeout(this.#silence);
    this.#silence = undefined;
  }

  #expire(): void {
    this.interrupt(silent(this.#timeout));
    this.close();
  }

  #lose(): void {
    if (this.#isAlive) this.close();
  }
}

const lostConnection = (): Failure => new Failure("transport", "sftp: the connection was lost", { upstream: 502 });
const silent = (timeout: number): Failure => new Failure("timeout", `sftp: the server was silent for ${timeout}ms`, { upstream: 504 });

/** Thrown when the host shows another key than the pinned one. */
class OtherKey extends Error {
  readonly key: Buffer;

  constructor(key: Buffer) {
    super("another key");
    this.key = key;
  }

  /** The kind of the key, which stands in front of it. */
  get kind(): string {
    return this.key.toString("latin1", 4, 4 + this.key.readUInt32BE(0));
  }
}

/**
 * Connects and logs in. A host has keys of several kinds and shows one of the kind that the client asks for. When this is not the pinned
 * key, the client asks for the other kinds, too. Throws `Failure`; ends at once when its action is cancelled.
 */
export async function connect(ssh2: Ssh2, server: Server, key: ParsedKey | undefined, cancellation: Act["cancellation"]): Promise<Session> {
  let others: OtherKey | undefined;
  for (let left = [...kinds]; left.length > 0; ) {
    try {
      return await connectOnce(ssh2, server, { hostKeys: left.flat(), key }, cancellation);
    } catch (error) {
      if (error instanceof OtherKey) {
        others ??= error;
        left = left.filter((kind) => !kind.some((name) => error.kind === name || (error.kind === "ssh-rsa" && name === "rsa-sha2-512")));
      } else if (others !== undefined && isNoMatch(error)) break;
      else throw error instanceof Failure ? error : connectFailure(error, server.timeout);
    }
  }
  const shown = others === undefined ? "" : ` (it showed ${shownKey(others.key)}, ${others.kind})`;
  throw new Failure("transport", `sftp: the host is not the one of host_key${shown}`, { upstream: 502, unsent: true });
}

/** The kinds of host keys that are asked for, and the private key of the login. */
interface Keys {
  readonly hostKeys: ServerHostKeyAlgorithm[];
  readonly key: ParsedKey | undefined;
}

function connectOnce(ssh2: Ssh2, server: Server, { hostKeys, key }: Keys, cancellation: Act["cancellation"]): Promise<Session> {
  const { host, port, user: username, timeout } = server;
  const { promise, resolve, reject } = Promise.withResolvers<Session>();
  let other: OtherKey | undefined;
  const settings: ConnectConfig = {
    ...{ host, port, username, readyTimeout: timeout, ...keepalive },
    algorithms: { serverHostKey: hostKeys },
    hostVerifier: (key: Buffer) => {
      if (isPinned(server, key)) return true;
      other = new OtherKey(key);
      return false;
    },
    authHandler: loginsOf(server, key),
  };
  const client = new ssh2.Client();
  let unlisten = (): void => undefined;
  const fail = (error: unknown): void => {
    unlisten();
    // Errors of a connection that was given up are ignored.
    client.on("error", () => undefined).destroy();
    reject(other ?? error);
  };
  unlisten = cancellation.listen(() => fail(cancelled()));
  client
    .once("error", fail)
    .once("close", () => fail(new Error("the server has closed the connection")))
    .once("ready", () =>
      client.sftp((error, sftp) => {
        if (error !== undefined) return fail(error);
        unlisten();
        client.removeAllListeners("error").removeAllListeners("close");
        resolve(new Session(client, sftp, timeout));
      }),
    )
    .connect(settings)
    .setNoDelay(true);
  return promise;
}

/** The ways to log in: first the key, then the password. No agent is used, and no questions of the server are answered. */
function loginsOf({ user: username, password }: Server, key: ParsedKey | undefined): (PublicKeyAuthMethod | PasswordAuthMethod)[] {
  return [
    ...(key === undefined ? [] : [{ type: "publickey" as const, username, key }]),
    ...(password === undefined ? [] : [{ type: "password" as const, username, password }]),
  ];
}

export const cancelled = (): Failure => new Failure("transport", "sftp: cancelled", { upstream: 502 });

/** The properties of an error of ssh2. */
interface SshError {
  readonly message: string;
  readonly level?: unknown;
}

const isNoMatch = (error: unknown): boolean => error instanceof Error && /no matching host key/i.test(error.message);

function connectFailure(thrown: unknown, timeout: number): unknown {
  if (!(thrown instanceof Error)) return thrown;
  const { message, level }: SshError = thrown;
  const details = { upstream: 502, unsent: true as const, cause: thrown };
  if (level === "client-timeout") return new Failure("timeout", `sftp: no connection within ${timeout}ms`, { ...details, upstream: 504 });
  if (level === "client-authentication") return new Failure("transport", "sftp: the server refused the login", details);
  return new Failure("transport", `sftp: connect failed: ${message.replace(/[\p{Cc}\s]+/gu, " ").slice(0, 200)}`, details);
}
