import { readSecret, type SecretFormat } from "../../keys/secret-format.ts";
import { touches } from "../../outgoing/touches.ts";
import type { Host, Resource } from "../../process/host.ts";
import { Failure, type FailureKind } from "../../value/failure.ts";
import type { Json, JsonObject } from "../../value/json.ts";
import { milliseconds } from "../../value/values.ts";
import type { Interface } from "../interface.ts";
import { LiveRun } from "../live-run.ts";
import { bareRequest } from "../request.ts";
import type { Attempt, Run } from "../run.ts";

// Stored secrets (spec/surfaces 11). Markers cannot wait, so the secrets that they read are fetched before the attempt, and held by its
// run.

/** An entry of `global.secrets` as a printed module declares it. The settings hold markers, so they are evaluated for each fetch. */
export interface SecretSource {
  readonly name: string;
  readonly store: SecretStore;
  readonly format: SecretFormat;
  readonly settings: (cx: Run) => JsonObject;
  /** Secrets that these settings read. */
  readonly needs?: readonly Secret[];
}

/** An entry of `global.secrets`, or the name of a managed variable. */
export type Secret = SecretSource | string;

/** Fetches a secret, in a run that belongs to no request. Throws `Failure` with a reason that quotes no part of the secret. */
export type SecretStore = (settings: JsonObject, cx: Run) => Promise<Json>;

const usualTtl = 300_000;

/** Surrounds the attempts of an action that reads secrets: each attempt fetches the ones that are not cached. */
export const secrets =
  (...names: readonly Secret[]) =>
  (attempt: Attempt): Attempt =>
  (act) => {
    const loading = loadSecrets(act.run, ...names);
    if (loading === undefined) return attempt(act);
    return loading.then(() => {
      act.throwIfCancelled();
      return attempt(act);
    });
  };

/**
 * Makes a run hold these secrets; undefined when all are held at once. The promise never rejects: a secret that could not be fetched fails
 * the marker that reads it.
 */
export function loadSecrets(run: Run, ...names: readonly Secret[]): Promise<void> | undefined {
  const waits = names.flatMap((secret) => {
    const refusal = refusalOf(typeof secret === "string" ? secret : secret.name, run);
    if (refusal !== undefined) {
      run.hold(typeof secret === "string" ? secret : secret.name, refusal);
      return [];
    }
    if (typeof secret === "string") {
      run.hold(secret, managed(run.host, secret));
      return [];
    }
    const content = keeperOf(run.host).get(secret, run);
    if (!(content instanceof Promise)) {
      run.hold(secret.name, content);
      return [];
    }
    return [content.then((value) => run.hold(secret.name, value))];
  });
  return waits.length === 0 ? undefined : Promise.all(waits).then(() => undefined);
}

/** The reason why the run may not read the secret; undefined when it may. */
function refusalOf(name: string, run: Run): Failure | undefined {
  try {
    touches(run, { kind: "secrets", name });
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** A secret that the config does not describe is a managed variable. */
function managed(host: Host, name: string): Json | Failure {
  try {
    const value = host.variable(name) ?? null;
    host.redactor.add(`secret ${name}`, value);
    return value;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** A fetched secret. Times are milliseconds of the monotonic clock. */
interface CachedSecret {
  readonly value: Json;
  readonly at: number;
  readonly ttl: number;
}

/** The secrets of a host; a test may replace them. */
export interface Secrets extends Resource {
  readonly get: (source: SecretSource, run: Run) => Json | Promise<Json | Failure>;
}

/** The secrets of a process. Each is fetched at its first use, by one request at a time, and again when its `ttl` is over. */
class Keeper implements Secrets {
  readonly #kept = new WeakMap<SecretSource, CachedSecret>();
  readonly #pending = new WeakMap<SecretSource, Promise<Json | Failure>>();

  get(source: SecretSource, run: Run): Json | Promise<Json | Failure> {
    const entry = this.#kept.get(source);
    if (entry !== undefined && run.host.monotonic() - entry.at < entry.ttl) return entry.value;
    const pending = this.#pending.get(source) ?? this.#refresh(source, run).finally(() => this.#pending.delete(source));
    this.#pending.set(source, pending);
    return pending;
  }

  /** Fetches a secret. After a failure the last value stays in use until its age is twice its `ttl`. */
  async #refresh(source: SecretSource, { host, config }: Run): Promise<Json | Failure> {
    const own = new LiveRun(host, config, nobody, bareRequest(host, "cli"));
    try {
      await loadSecrets(own, ...(source.needs ?? []));
      const { ttl, ...settings } = source.settings(own);
      const value = readSecret(await source.store(settings, own), source.format);
      host.redactor.add(`secret ${source.name} of ${config.name}`, value);
      this.#kept.set(source, { value, at: host.monotonic(), ttl: milliseconds(ttl ?? null, "ttl") ?? usualTtl });
      return value;
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      const failure = unavailable(source.name, error);
      host.log(failure.kind === "manifest" ? "error" : "warn", failure.message, { config: config.name });
      const entry = this.#kept.get(source);
      return entry !== undefined && host.monotonic() - entry.at < 2 * entry.ttl ? entry.value : failure;
    }
  }

  close(): void {
    // No connection stays open between fetches.
  }
}

const keeperOf = (host: Host): Secrets => host.resource<Secrets>("secrets", () => new Keeper());

/** The failure of a secret. The text begins like that of other unreadable markers, so that a caller sees `action failed`. */
const unavailable = (name: string, { kind, message }: Failure): Failure =>
  new Failure(kinds.has(kind) ? kind : "evaluation", `interpolation secret: ${name}: ${message}`);

/**
 * Kinds of failures that stay as they are: a store that does not answer, and a secret that the manifest does not list. Any other failure is
 * a mistake in the configuration or its environment, of kind `evaluation`.
 */
const kinds: ReadonlySet<FailureKind> = new Set(["transport", "timeout", "manifest"]);

const nobody: Interface = { name: "secrets", output: "none", run: () => undefined };
