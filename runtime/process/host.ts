import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as timeout } from "node:timers/promises";
import { saysSecret } from "../keys/secret-name.ts";
import type { Tracer } from "../tracing/tracer.ts";
import { longestWait, usualDelayCap } from "../value/duration.ts";
import { Failure } from "../value/failure.ts";
import type { Json } from "../value/json.ts";
import { Redactor } from "../value/redact.ts";

export type LogLevel = "trace" | "debug" | "info" | "warn" | "error" | "critical";

/** Writes one structured record. Values of secrets that the host knows are `***` in it. */
export type Log = (level: LogLevel, msg: string, fields?: Readonly<Record<string, Json>>) => void;

/** Limits of one process (spec/surfaces 0). Sizes in bytes, times in milliseconds. */
export interface Limits {
  readonly maxBodyBytes: number;
  /** The most bytes of large bodies, over all connections, whose requests are not answered yet. */
  readonly maxBodiesBytes: number;
  readonly runTimeoutMs: number;
  readonly maxDelayMs: number;
  readonly shutdownGraceMs: number;
  /** The most runs of `respond: early` that go on at the same time. */
  readonly maxDetachedRuns: number;
  /** The most parts of one `multipart/form-data` request. */
  readonly maxParts: number;
  /** The most bytes of one upstream response (spec/language 5.1.3). */
  readonly maxResponseBytes: number;
  /** The most bytes that `compress` reads, and that `decompress` reads and writes (spec/surfaces 0.1). */
  readonly maxCompressBytes: number;
  /** The most bytes of a document that `parse_xlsx` or `parse_pdf` reads (spec/surfaces 0.1). */
  readonly maxDocumentBytes: number;
  /** The most bytes of keys and texts of the state that a process keeps in memory. */
  readonly maxStateBytes: number;
  /** Milliseconds for which ended durable runs stay in their store. */
  readonly runsKeptMs: number;
}

/** The features that an organisation may be allowed to use (spec/surfaces 0.1). */
export const entitlements = ["compression", "documents"] as const;
export type Entitlement = (typeof entitlements)[number];

export const defaultLimits: Limits = {
  maxBodyBytes: 10_485_760,
  maxBodiesBytes: 167_772_160,
  runTimeoutMs: 300_000,
  maxDelayMs: usualDelayCap,
  shutdownGraceMs: 30_000,
  maxDetachedRuns: 100,
  maxParts: 100,
  maxResponseBytes: 16_777_216,
  maxCompressBytes: 8_388_608,
  maxDocumentBytes: 16_777_216,
  maxStateBytes: 268_435_456,
  runsKeptMs: 604_800_000,
};

/** A resource that stays open between runs (a pool, an agent) and is closed at shutdown. */
export interface Resource {
  readonly close: () => void | Promise<void>;
}

/** Everything that comes from outside a run. Features read time, ids, randomness and environment only from here. */
export interface Host {
  readonly organisation: string;
  readonly environment: string;
  readonly limits: Limits;
  readonly entitlements: readonly Entitlement[];
  readonly log: Log;
  /** True when the log takes records of the level `debug`; callers make such records only then. */
  readonly debug: boolean;
  /** Knows the values of secrets, and hides them in every text that leaves the process. */
  readonly redactor: Redactor;
  /** Traces runs; undefined in a process without a collector. */
  readonly tracer: Tracer | undefined;
  /** Unix time in milliseconds; fixed by `--clock`. */
  readonly now: () => number;
  /** Milliseconds of a clock that never goes back, for durations. */
  readonly monotonic: () => number;
  readonly uuid: () => string;
  readonly bytes: (length: number) => Buffer;
  /** Waits `ms` milliseconds; rejects early when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  /** An environment variable of the snapshot taken at start. */
  readonly env: (name: string) => string | undefined;
  /** The environment that a command inherits: without the variables `PIPEWRIGHT_*`, because some of them are keys. */
  readonly inherited: () => Readonly<Record<string, string>>;
  /** Writes to the standard output of the process. */
  readonly print: (bytes: Buffer) => void;
  /** True when a config may read an environment variable (`PIPEWRIGHT_ENV_ALLOW`); never for the keys of the service itself. */
  readonly readable: (name: string) => boolean;
  /** A managed variable of this environment. Throws `Failure` when it is sealed and cannot be opened. */
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
  /** The allowed features; by default all. */
  readonly entitlements?: readonly Entitlement[];
  readonly log?: Log;
  /** The lowest level that the log writes. */
  readonly logLevel?: LogLevel;
  /** Unix milliseconds at which the run clock stands still. */
  readonly clock?: number;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly variables?: Variables;
  /** Makes the tracer of this host. */
  readonly tracer?: ((host: Host) => Tracer) | undefined;
  /** Replaces the standard output of the process. */
  readonly print?: (bytes: Buffer) => void;
}

/** Managed variables. A sealed one is opened at its first use, and is undefined when it cannot be opened. */
export type Variables = Readonly<Record<string, Json | (() => Json | undefined)>>;

/** The host of a real process. Tests pass `clock`, `env` and `variables`; nothing is read from the process when they are given. */
export function createHost(options: HostOptions = {}): Host {
  const env = { ...(options.env ?? process.env) };
  const variables = options.variables ?? {};
  const clock = options.clock;
  const resources = new Map<string, Resource>();
  const secretNames = new Map<string, boolean>();
  const redactor = new Redactor();
  const host: Omit<Host, "tracer"> & { tracer: Tracer | undefined } = {
    organisation: options.organisation ?? "local",
    environment: options.environment ?? "production",
    limits: { ...defaultLimits, ...options.limits },
    entitlements: options.entitlements ?? entitlements,
    log: redacted(options.log ?? (() => undefined), redactor),
    debug: options.logLevel === "debug" || options.logLevel === "trace",
    redactor,
    tracer: undefined,
    now: clock === undefined ? () => Date.now() : () => clock,
    monotonic: () => performance.now(),
    uuid: () => randomUUID(),
    bytes: (length) => randomBytes(length),
    sleep,
    env: (name) => (Object.hasOwn(env, name) ? hiding(redactor, secretNames, "env", name, env[name]) : undefined),
    inherited: () => inheritedOf(env),
    print: options.print ?? ((bytes) => void process.stdout.write(bytes)),
    readable: allowed(env.PIPEWRIGHT_ENV_ALLOW || "*"),
    variable: (name) =>
      Object.hasOwn(variables, name) ? hiding(redactor, secretNames, "variable", name, opened(name, variables[name], redactor)) : undefined,
    resource: <R extends Resource>(key: string, open: () => R): R => {
      const resource = resources.get(key);
      // A key names one kind of resource, because only the caller that opened the resource asks for it.
      if (resource !== undefined) return resource as R;
      const fresh = open();
      resources.set(key, fresh);
      return fresh;
    },
    close: async () => {
      const open = [...resources.values()];
      resources.clear();
      await Promise.allSettled(open.map((resource) => resource.close()));
    },
  };
  const { tracer } = options;
  if (tracer !== undefined) host.tracer = host.resource("traces", () => tracer(host));
  return host;
}

/** Waits as long as it is said, which may be longer than a timer of Node can wait. */
async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  let left = ms;
  do {
    await timeout(Math.min(left, longestWait), undefined, { signal });
    left -= longestWait;
  } while (left > 0);
}

/** The variables that a command inherits: those of the process that are not settings of ours. */
function inheritedOf(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const set = Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(set.filter(([name]) => !name.startsWith("PIPEWRIGHT_")));
}

/** A log that hides the values of secrets. */
function redacted(log: Log, redactor: Redactor): Log {
  return (level, msg, fields) => log(level, redactor.text(msg), fields && redactor.json(fields));
}

/** The value of a variable. A sealed value, and one whose name says that it is encrypted, is hidden in logs from then on. */
function opened(name: string, variable: Variables[string] | undefined, redactor: Redactor): Json | undefined {
  const value = typeof variable === "function" ? variable() : variable;
  if (typeof variable === "function" && value === undefined) throw new Failure("evaluation", "variable unavailable");
  if (value !== undefined && (typeof variable === "function" || name.startsWith("ENCRYPTED_"))) redactor.add(`variable ${name}`, value);
  return value;
}

/** The value of a setting. If its name says that it is a secret, the value is hidden in logs and error texts from then on. */
function hiding<Value extends Json | undefined>(
  redactor: Redactor,
  known: Map<string, boolean>,
  kind: "env" | "variable",
  name: string,
  value: Value,
): Value {
  let isSecret = known.get(name);
  if (isSecret === undefined) {
    isSecret = saysSecret(name);
    known.set(name, isSecret);
  }
  if (isSecret && value !== undefined) redactor.add(`${kind} ${name}`, value);
  return value;
}

const ownKeys: ReadonlySet<string> = new Set([
  "PIPEWRIGHT_MASTER_KEY",
  "PIPEWRIGHT_NEW_MASTER_KEY",
  "PIPEWRIGHT_API_KEYS",
  "PIPEWRIGHT_ADMIN_KEYS",
  "PIPEWRIGHT_RUNS_KEY",
  "PIPEWRIGHT_WS_REQUIRE_JWT",
]);

/** Reads a comma list of names, in which `*` stands for any text (spec/surfaces 11). */
function allowed(list: string): (name: string) => boolean {
  const patterns = list.split(",").map((pattern) =>
    pattern
      .trim()
      .replace(/[^A-Za-z0-9_*]/g, "\\$&")
      .replaceAll("*", ".*"),
  );
  const pattern = new RegExp(`^(?:${patterns.join("|")})$`, "s");
  return (name) => !ownKeys.has(name) && pattern.test(name);
}
