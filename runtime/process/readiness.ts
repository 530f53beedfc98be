import type { Config, Interface } from "../run/interface.ts";
import { LiveRun } from "../run/live-run.ts";
import { bareRequest } from "../run/request.ts";
import { Failure } from "../value/failure.ts";
import { unusable } from "../value/unusable.ts";
import type { Host } from "./host.ts";

/**
 * Milliseconds that a start waits for databases to report missing settings: long enough to evaluate the settings, too short to hang on a
 * dead network.
 */
const patienceMs = 1_000;

/** Milliseconds that a probe waits for an answer. */
const probeMs = 5_000;

/** Watches the databases of configs and the store of their state, and reports which of them are not configured or do not answer. */
export class Readiness {
  readonly #host: Host;
  readonly #configs: readonly Config[];
  #probe: Promise<readonly string[]> | undefined;

  constructor(host: Host, configs: readonly Config[]) {
    this.#host = host;
    this.#configs = configs;
  }

  /**
   * Lists the unmet needs that prevent a start: secrets without a value, databases whose settings are unset, with the names to set, and a
   * state store that must not be used.
   */
  async missing(): Promise<readonly string[]> {
    const [failures, stores] = await Promise.all([this.#ask(this.#databases, patienceMs), this.#ask(this.#stores, patienceMs)]);
    const databases = failures
      .filter(({ error }) => isUnset(error))
      .map(({ name, config, error, read }) => `${name}: ${reason(error)}${this.#hint(config, read)}`);
    const refused = stores.flatMap(({ error }) => unusable(error)?.message ?? []);
    return [...this.#configs.flatMap((config) => this.#unsetSecrets(config)), ...databases, ...refused];
  }

  /** Secrets that are managed variables without a value: an action that reads such a secret could only fail. */
  #unsetSecrets({ name, needs, secrets = [] }: Config): readonly string[] {
    return needs.secrets
      .filter((secret) => !secrets.includes(secret) && !this.#isSet(secret))
      .map((secret) => `secret ${secret} of ${name} is not set: pipewright vars set ${secret} - --seal --env ${this.#host.environment}`);
  }

  #isSet(variable: string): boolean {
    try {
      return this.#host.variable(variable) !== undefined;
    } catch (error) {
      // The secret exists, but it is sealed: the action that reads it reports that.
      if (error instanceof Failure) return true;
      throw error;
    }
  }

  /** Names of the needs that do not answer. Probes during another probe share its result. */
  unmet(): Promise<readonly string[]> {
    this.#probe ??= this.#ask([...this.#databases, ...this.#stores], probeMs)
      .then((failures) => failures.map(({ name }) => name))
      .finally(() => {
        this.#probe = undefined;
      });
    return this.#probe;
  }

  get #databases(): readonly PingTarget[] {
    return this.#configs.flatMap((config) =>
      (config.databases ?? []).map(({ name, ping }) => {
        const read = new Set<string>();
        const host = noting(this.#host, read);
        return { name: nameOf(config, name), config, read, ping: () => ping(new LiveRun(host, config, probe, bareRequest(host, "http"))) };
      }),
    );
  }

  /** The store of the state; one question is enough, because all configs of a process share the store. */
  get #stores(): readonly PingTarget[] {
    const config = this.#configs.find(({ store }) => store !== undefined);
    return config?.store === undefined ? [] : [{ name: "state", config, ping: async () => config.store?.(this.#host) }];
  }

  async #ask(all: readonly PingTarget[], limitMs: number): Promise<readonly Failed[]> {
    const answers = all.map((one) => this.#answer(one, limitMs));
    return (await Promise.all(answers)).filter((failed) => failed !== undefined);
  }

  async #answer(target: PingTarget, limitMs: number): Promise<Failed | undefined> {
    const timer = new AbortController();
    const late = this.#host.sleep(limitMs, timer.signal).then(() => {
      throw new Error("no answer");
    });
    // The error of the slower promise needs no handling.
    late.catch(() => undefined);
    try {
      await Promise.race([target.ping(), late]);
      return undefined;
    } catch (error) {
      return { ...target, error };
    } finally {
      timer.abort();
    }
  }

  /** Logs once which names the configs read that are unset: they are null, and do not keep the process from starting. */
  sayUnset(): void {
    for (const config of this.#configs) {
      const unset = this.#unset(config);
      if (unset.length > 0) this.#host.log("warn", `unset: ${unset.join(", ")}`, { config: config.name });
    }
  }

  /** The unset names among the ones that the settings of a database have read, as a hint. */
  #hint(config: Config, read: ReadonlySet<string> | undefined): string {
    const unset = this.#unset(config, read);
    return unset.length === 0 ? "" : `; set ${unset.join(", ")}`;
  }

  /** Names that the config reads and that are unset; with `read`, only names in it. */
  #unset({ needs }: Config, read?: ReadonlySet<string>): readonly string[] {
    const env = needs.env
      .filter((name) => read?.has(`env ${name}`) !== false)
      .filter((name) => !this.#host.env(name) || !this.#host.readable(name))
      .map((name) => `environment variable ${name}${this.#host.env(name) ? " (not in PIPEWRIGHT_ENV_ALLOW)" : ""}`);
    const variables = needs.vars
      .filter((name) => read?.has(`var ${name}`) !== false && !this.#isSet(name))
      .map((name) => `variable ${name} (--vars)`);
    return [...env, ...variables];
  }
}

interface PingTarget {
  readonly name: string;
  readonly config: Config;
  readonly ping: () => Promise<void>;
  /** Names that the settings of the target have read: `env NAME` and `var NAME`. */
  readonly read?: ReadonlySet<string>;
}

interface Failed extends PingTarget {
  readonly error: unknown;
}

/** True when the settings are unset. An unreachable database does not count, since it may become reachable while the process runs. */
const isUnset = (error: unknown): boolean =>
  error instanceof Failure && (error.kind === "evaluation" || error.message.endsWith(" is not set"));

/** A host that notes in `read` the names that are read from it. */
const noting = (host: Host, read: Set<string>): Host => ({
  ...host,
  readable: (name) => {
    read.add(`env ${name}`);
    return host.readable(name);
  },
  variable: (name) => {
    read.add(`var ${name}`);
    return host.variable(name);
  },
});

const nameOf = (config: Config, database: string): string => `database ${database} of ${config.name}`;

const reason = (error: unknown): string => (error instanceof Error ? error.message.replace(/^database: /, "") : String(error));

const probe: Interface = { name: "readyz", output: "none", run: () => undefined };
