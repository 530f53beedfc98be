import type { Config, Scheduler } from "../run/interface.ts";
import type { Host } from "./host.ts";
import { Readiness } from "./readiness.ts";

/** Some configs as they are served, until others take their place: what they need, and what they do by themselves. */
export class Version {
  readonly configs: readonly Config[];
  readonly #host: Host;
  readonly #readiness: Readiness;
  readonly #schedulers: readonly Scheduler[];

  constructor(host: Host, configs: readonly Config[]) {
    this.configs = configs;
    this.#host = host;
    this.#readiness = new Readiness(host, configs);
    this.#schedulers = configs.flatMap((config) =>
      [...(config.schedules === undefined ? [] : [config.schedules]), ...(config.triggers ?? [])].map((trigger) => trigger(host, config)),
    );
  }

  /** Lists everything that keeps the configurations from being served. */
  async missing(): Promise<readonly string[]> {
    const unscheduled = Promise.all(this.#schedulers.map((scheduler) => scheduler.missing()));
    const protocols = new Set(this.configs.flatMap((config) => (config.protocols ?? []).map((of) => of(this.#host))));
    const unspoken = Promise.all([...protocols].map((protocol) => protocol.missing(this.configs)));
    const channels = new Set(this.configs.flatMap((config) => config.channels?.(this.#host) ?? []));
    const needs = [...(await this.#readiness.missing()), ...this.#policyNeeds(), ...channels];
    return [...needs, ...(await unscheduled).flat(), ...(await unspoken).flat()];
  }

  /** Names of the needs that do not answer now. */
  unmet(): Promise<readonly string[]> {
    return this.#readiness.unmet();
  }

  /** Says which names are unset. */
  sayUnset(): void {
    this.#readiness.sayUnset();
  }

  /** Opens the windows in which runs are recorded. */
  record(): void {
    for (const config of this.configs) for (const target of config.interfaces) target.capture?.start(this.#host, config, target);
  }

  start(): void {
    for (const scheduler of this.#schedulers) scheduler.start();
  }

  /** Begins nothing any more; what is under way goes on. */
  stop(): void {
    for (const scheduler of this.#schedulers) scheduler.stop();
  }

  /** Lists the needs of network policies; they warn of what is weak in them. */
  #policyNeeds(): readonly string[] {
    const all = this.configs.flatMap((config) => config.interfaces.map((target) => ({ config, target })));
    return all.flatMap(
      ({ config, target }) => target.network?.start({ host: this.#host, config: config.name, interface: target.name }) ?? [],
    );
  }
}
