import { hostname } from "node:os";
import { bundle } from "../capture/bundle.ts";
import type { Host, Resource } from "../process/host.ts";
import { nodeName } from "../process/node-name.ts";
import { product } from "../process/product.ts";
import { workerOf } from "../process/workers/crew.ts";
import type { Config } from "../run/interface.ts";
import type { JsonObject } from "../value/json.ts";
import { messageOf } from "../value/thrown.ts";
import type { ClusterStore } from "./store.ts";

/** Milliseconds between two reports of a node, for which one report counts, and for which an ending node waits for its last report. */
export const usualTimes = { beat: 5_000, counts: 15_000, leave: 1_000 };

/** The facts about this process that other nodes may see, which never include values of variables. */
export function aboutNode(host: Host, configs: readonly Config[], started: number): JsonObject {
  const worker = workerOf(host);
  const bus = configs.find((one) => one.bus)?.bus?.report(host);
  return {
    machine: hostname(),
    pid: process.pid,
    ...(worker === undefined ? {} : { worker: `${worker.number}/${worker.count}` }),
    version: product.version,
    bundle,
    started: new Date(started).toISOString(),
    ...(bus === undefined ? {} : { bus: { connected: bus.connected, lost: bus.lost, lag_ms: bus.lag ?? null } }),
  };
}

/** Reports to the store that this process serves, as long as it does, for the page of nodes. */
export class Attendance implements Resource {
  readonly started: number;
  readonly #host: Host;
  /** The name is kept here, because a closing host has forgotten it. */
  readonly #node: string;
  readonly #configs: () => readonly Config[];
  readonly #store: ClusterStore;
  readonly #times: typeof usualTimes;
  readonly #ends = new AbortController();
  readonly #saying: Promise<void>;
  #isSilent = false;

  constructor(host: Host, configs: () => readonly Config[], store: ClusterStore, times: Partial<typeof usualTimes> = {}) {
    this.#host = host;
    this.#node = nodeName(host);
    this.#configs = configs;
    this.#store = store;
    this.#times = { ...usualTimes, ...times };
    this.started = host.now();
    this.#saying = this.#sayOn();
  }

  /** Ends the reports, so that the page does not show an ended node. */
  async close(): Promise<void> {
    this.#ends.abort();
    await this.#saying;
    await Promise.race([this.#store.leave(this.#node).catch(() => undefined), this.#patience()]);
    await this.#store.release();
  }

  async #patience(): Promise<void> {
    await this.#host.sleep(this.#times.leave, AbortSignal.timeout(2 * this.#times.leave));
  }

  async #sayOn(): Promise<void> {
    const { signal } = this.#ends;
    while (!signal.aborted) {
      await this.#say();
      await this.#host.sleep(this.#times.beat, signal).catch(() => undefined);
    }
  }

  /** Sends one report. An outage of the store is logged once, since serving does not depend on these reports. */
  async #say(): Promise<void> {
    try {
      const about = aboutNode(this.#host, this.#configs(), this.started);
      await this.#store.announce(this.#node, about, this.#times.counts);
      this.#isSilent = false;
    } catch (error) {
      const why = messageOf(error);
      if (!this.#isSilent) this.#host.log("warn", `the page of nodes in the console does not show this one: ${why}`);
      this.#isSilent = true;
    }
  }
}
