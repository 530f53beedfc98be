import { Failure } from "./failure.ts";
import type { Host } from "./host.ts";
import type { Config, Interface } from "./interface.ts";
import { type Request, Run } from "./run.ts";

/** How long a start waits for databases to say that they are not configured: long enough to evaluate, too short to hang on a dead network. */
const patienceMs = 1_000;

/** How long a probe waits for an answer. */
const probeMs = 5_000;

/** The databases of some configs: which are not configured, and which do not answer. */
export class Readiness {
  readonly #host: Host;
  readonly #configs: readonly Config[];
  #probe: Promise<readonly string[]> | undefined;

  constructor(host: Host, configs: readonly Config[]) {
    this.#host = host;
    this.#configs = configs;
  }

  /** Databases whose settings evaluate to nothing, each with the names that are unset: a start without them makes no sense. */
  async missing(): Promise<readonly string[]> {
    const failures = await this.#ask(patienceMs);
    return failures
      .filter(({ error }) => isUnset(error))
      .map(({ config, name, error }) => `${nameOf(config, name)}: ${reason(error)}${this.#hint(config)}`);
  }

  /** Names of the databases that do not answer. Probes that come while one is under way share it. */
  unmet(): Promise<readonly string[]> {
    this.#probe ??= this.#ask(probeMs)
      .then((failures) => failures.map(({ config, name }) => nameOf(config, name)))
      .finally(() => {
        this.#probe = undefined;
      });
    return this.#probe;
  }

  async #ask(limitMs: number): Promise<readonly Failed[]> {
    const asked = this.#configs.flatMap((config) =>
      (config.databases ?? []).map(({ name, ping }) => this.#answer(config, name, ping, limitMs)),
    );
    return (await Promise.all(asked)).filter((failed) => failed !== undefined);
  }

  async #answer(config: Config, name: string, ping: (cx: Run) => Promise<void>, limitMs: number): Promise<Failed | undefined> {
    const timer = new AbortController();
    const late = this.#host.sleep(limitMs, timer.signal).then(() => {
      throw new Error("no answer");
    });
    // It loses the race, or is the answer.
    late.catch(() => undefined);
    try {
      await Promise.race([ping(new Run(this.#host, config, probe, request(this.#host))), late]);
      return undefined;
    } catch (error) {
      return { config, name, error };
    } finally {
      timer.abort();
    }
  }

  /** Names that the config reads and that nobody has set. */
  #hint({ needs }: Config): string {
    const env = needs.env.filter((name) => !this.#host.env(name)).map((name) => `environment variable ${name}`);
    const variables = needs.vars.filter((name) => this.#host.variable(name) === undefined).map((name) => `variable ${name} (--vars)`);
    const unset = [...env, ...variables];
    return unset.length === 0 ? "" : `; set ${unset.join(", ")}`;
  }
}

interface Failed {
  readonly config: Config;
  readonly name: string;
  readonly error: unknown;
}

/** Not reachable is another matter: that may change while the process runs. */
const isUnset = (error: unknown): boolean =>
  error instanceof Failure && (error.kind === "evaluation" || error.message.endsWith(" is not set"));

const nameOf = (config: Config, database: string): string => `database ${database} of ${config.name}`;

const reason = (error: unknown): string => (error instanceof Error ? error.message.replace(/^database: /, "") : String(error));

const probe: Interface = { name: "readyz", output: "none", run: () => undefined };

/** A probe delivers nothing: settings of databases read no request. */
const request = (host: Host): Request => ({
  id: host.uuid(),
  trigger: "http",
  method: null,
  path: null,
  body: null,
  raw_body: null,
  params: {},
  headers: {},
  ip: {},
});
