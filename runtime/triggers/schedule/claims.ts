import type { Host } from "../../process/host.ts";
import { nodeName } from "../../process/node-name.ts";
import { sharedAddress } from "../../store/address.ts";
import type { Coordination } from "../../store/coordination.ts";
import { leaseName, scheduleNames, scopeOf } from "../../store/scope.ts";
import { messageOf } from "../../value/thrown.ts";

/** How long a run is known to go on without a word of its node. */
const leaseMs = 60_000;

/** How long a start waits for the store that nodes share. */
const patienceMs = 10_000;

/** The interface to which a schedule belongs. */
export interface Owner {
  readonly config: string;
  readonly interface: string;
}

/** Decides which node runs a schedule, by what nodes agree on in their store (spec/surfaces 2). */
export class Claims {
  readonly #host: Host;
  readonly #node: string;
  readonly #scope: string;

  constructor(host: Host) {
    this.#host = host;
    this.#node = nodeName(host);
    this.#scope = scopeOf(host);
  }

  /** True for exactly one caller, of all nodes of its organisation and environment and for all time. Rejects without the store. */
  async take({ config, interface: target }: Owner, at: number): Promise<boolean> {
    return (await this.#store()).take(scheduleNames(this.#scope, config, target), at, this.#node);
  }

  /** Takes the sole right to run; undefined while another node has it. The result gives the right back. */
  async lease({ config, interface: target }: Owner): Promise<(() => Promise<void>) | undefined> {
    const nodes = await this.#store();
    const name = leaseName(this.#scope, config, target);
    const epoch = await nodes.lease(name, this.#node, leaseMs);
    if (epoch === undefined) return undefined;
    const ends = new AbortController();
    const renewing = (async () => {
      let isOurs = true;
      while (isOurs) {
        await this.#host.sleep(leaseMs / 3, ends.signal);
        // A renewal that fails is tried again by the next, before the lease has lapsed.
        isOurs = await nodes.extend(name, epoch, leaseMs).catch(() => true);
      }
    })().catch(() => undefined); // the wait has been ended
    return async () => {
      ends.abort();
      await renewing;
      await nodes.free(name, epoch);
    };
  }

  /** Lists the reasons that keep nodes from agreeing: without a store that they share each would run every schedule. */
  async missing(config: string): Promise<readonly string[]> {
    if (this.#host.env("PIPEWRIGHT_CLUSTERED") !== "true") return [];
    const address = sharedAddress(this.#host);
    if (!/^postgres(?:ql)?:\/\//i.test(address))
      return [`schedules of ${config} need a database that all nodes share: set PIPEWRIGHT_DATABASE_URL to postgres://…`];
    const until = this.#host.monotonic() + patienceMs;
    for (;;) {
      try {
        await (await this.#store()).now();
        return [];
      } catch (error) {
        this.#host.log("error", `schedules: ${messageOf(error)}`, { config });
        if (this.#host.monotonic() >= until) return [`schedules of ${config}: the database of PIPEWRIGHT_DATABASE_URL does not answer`];
      }
      await this.#host.sleep(500, new AbortController().signal);
    }
  }

  /** The store; its drivers are loaded on first use. */
  async #store(): Promise<Coordination> {
    return (await import("../../store/open-coordination.ts")).coordinationOf(this.#host);
  }
}
