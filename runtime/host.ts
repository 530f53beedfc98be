import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as timeout } from "node:timers/promises";
import type { Json } from "./json.ts";

export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "critical";

/** Writes one structured record. Values of secrets never reach it. */
export type Log = (level: LogLevel, msg: string, fields?: Readonly<Record<string, Json>>) => void;

/** Limits of one process (surfaces.md 0). Sizes in bytes, times in milliseconds. */
export interface Limits {
  readonly maxBodyBytes: number;
  readonly runTimeoutMs: number;
  readonly maxDelayMs: number;
  readonly shutdownGraceMs: number;
  /** Of one upstream response (language.md 5.1.3). */
  readonly maxResponseBytes: number;
  /** Of what `compress` reads, and of what `decompress` reads and writes (decisions.md A21). */
  readonly maxCompressBytes: number;
}

export const defaultLimits: Limits = {
  maxBodyBytes: 10_485_760,
  runTimeoutMs: 300_000,
  maxDelayMs: 300_000,
  shutdownGraceMs: 30_000,
  maxResponseBytes: 16_777_216,
  maxCompressBytes: 8_388_608,
};

/** Something that stays open between runs (a pool, an agent) and is closed at shutdown. */
export interface Resource {
  readonly close: () => void | Promise<void>;
}

/** Everything that comes from outside a run. Features read time, ids, randomness and environment only from here. */
export interface Host {
  readonly organisation: string;
  readonly environment: string;
  readonly limits: Limits;
  readonly log: Log;
  /** Unix time in milliseconds; fixed by `--clock`. */
  readonly now: () => number;
  /** Milliseconds of a clock that never goes back, for durations. */
  readonly monotonic: () => number;
  readonly uuid: () => string;
  readonly bytes: (length: number) => Buffer;
  /** Ends early, by throwing, when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** An environment variable of the snapshot taken at start. */
  readonly env: (name: string) => string | undefined;
  /** A managed variable of this environment. */
  readonly variable: (name: string) => Json | undefined;
  /** The resource of this key, opened on first use and shared until shutdown. */
  readonly resource: <R extends Resource>(key: string, open: () => R) => R;
  /** Closes every resource; called once at shutdown. */
  readonly close: () => Promise<void>;
}

export interface HostOptions {
  readonly organisation?: string;
  readonly environment?: string;
  readonly limits?: Partial<Limits>;
  readonly log?: Log;
  /** Unix milliseconds at which the run clock stands still. */
  readonly clock?: number;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly variables?: Readonly<Record<string, Json>>;
}

/** The host of a real process. Tests pass `clock`, `env` and `variables`; nothing is read from the process when they are given. */
export function createHost(options: HostOptions = {}): Host {
  const env = { ...(options.env ?? process.env) };
  const variables = options.variables ?? {};
  const clock = options.clock;
  const resources = new Map<string, Resource>();
  return {
    organisation: options.organisation ?? "local",
    environment: options.environment ?? "production",
    limits: { ...defaultLimits, ...options.limits },
    log: options.log ?? (() => undefined),
    now: clock === undefined ? () => Date.now() : () => clock,
    monotonic: () => performance.now(),
    uuid: () => randomUUID(),
    bytes: (length) => randomBytes(length),
    sleep: async (ms, signal) => {
      await timeout(ms, undefined, { signal });
    },
    env: (name) => (Object.hasOwn(env, name) ? env[name] : undefined),
    variable: (name) => (Object.hasOwn(variables, name) ? variables[name] : undefined),
    resource: <R extends Resource>(key: string, open: () => R): R => {
      const found = resources.get(key);
      // A key names one kind of resource: the caller that opened it is the only one that asks for it.
      if (found !== undefined) return found as R;
      const made = open();
      resources.set(key, made);
      return made;
    },
    close: async () => {
      const open = [...resources.values()];
      resources.clear();
      await Promise.allSettled(open.map((resource) => resource.close()));
    },
  };
}
