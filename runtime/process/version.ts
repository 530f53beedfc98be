import type { Config, Scheduler } from "../run/interface.ts";
import { unusable } from "../value/unusable.ts";
import type { Host } from "./host.ts";
import { Readiness } from "./readiness.ts";

/**
 * The configs that are served until other configs replace them, with their needs and with the triggers that begin runs without a request.
 */
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

  /** Lists everything that keeps the configurations from being served. A store that must not be used stops all of them. */
  async missing(): Promise<readonly string[]> {
    try {
      return await this.#needs();
    } catch (error) {
      const reason = unusable(error);
      if (reason === undefined) throw error;
      return [reason.message];
    }
  }

  async #needs(): Promise<readonly string[]> {
    const protocols = new Set(this.configs.flatMap((config) => (config.protocols ?? []).map((of) => of(this.#host))));
    const others = Promise.all([...this.#schedulers, ...protocols].map((one) => one.missing(this.configs)));
    // A failure of these needs is thrown below, where they are awaited.
    others.catch(() => undefined);
    const bus = this.configs.find((one) => one.bus)?.bus?.start(this.#host, this.configs) ?? Promise.resolve([]);
    // A failure of the bus counts only where the bus is awaited.
    bus.catch(() => undefined);
    const needs = [...(await this.#readiness.missing()), ...this.#policyNeeds(), ...(await others).flat()];
    // The bus of a worker waits for other processes, which is useless when this process does not start.
    return needs.length > 0 ? needs : await bus;
  }

  /** Names of the needs that do not answer now. */
  unmet(): Promise<readonly string[]> {
    return this.#readiness.unmet();
  }

  /** Logs the names that are unset. */
  sayUnset(): void {
    this.#readiness.sayUnset();
  }

  /** Opens the windows in which runs are recorded. */
  record(): void {
    for (const config of this.configs) for (const target of config.interfaces) target.capture?.start(this.#host, config, target);
  }

  start(): void {
    this.startShared();
    this.startRest();
  }

  /** Starts the triggers that every worker runs. */
  startShared(): void {
    for (const scheduler of this.#schedulers) if (scheduler.isShared) scheduler.start();
  }

  /** Starts the triggers that one worker runs for all. */
  startRest(): void {
    for (const scheduler of this.#schedulers) if (!scheduler.isShared) scheduler.start();
  }

  /** Begins no further run; runs under way go on. */
  stop(): void {
    for (const scheduler of this.#schedulers) scheduler.stop();
  }

  /** Lists the unmet needs of network policies, and lets the policies warn of weak rules. */
  #policyNeeds(): readonly string[] {
    const all = this.configs.flatMap((config) => config.interfaces.map((target) => ({ config, target })));
    return all.flatMap(
      ({ config, target }) => target.network?.start({ host: this.#host, config: config.name, interface: target.name }) ?? [],
    );
  }
}
