import type { Host } from "../../process/host.ts";
import { nodeName } from "../../process/node-name.ts";
import { isPostgres, sharedAddress } from "../../store/address.ts";
import type { Coordination } from "../../store/coordination.ts";
import { leaseName, scheduleNames, scopeOf } from "../../store/scope.ts";
import { messageOf } from "../../value/thrown.ts";

/** Milliseconds for which a run counts as under way after the last renewal by its node. */
const leaseMs = 60_000;

/** Milliseconds that a start waits for the store that nodes share. */
const patienceMs = 10_000;

/** The interface to which a schedule belongs. */
export interface Owner {
  readonly config: string;
  readonly interface: string;
}

/** Decides which node runs a schedule, by the coordination of nodes in their store (spec/surfaces 2). */
export class Claims {
  readonly #host: Host;
  readonly #node: string;
  readonly #scope: string;

  constructor(host: Host) {
    this.#host = host;
    this.#node = nodeName(host);
    this.#scope = scopeOf(host);
  }

  /** True for exactly one caller among all nodes of its organisation and environment, for ever. Rejects when the store does not answer. */
  async take({ config, interface: target }: Owner, at: number): Promise<boolean> {
    return (await this.#store()).take(scheduleNames(this.#scope, config, target), at, this.#node);
  }

  /** Takes the exclusive right to run; undefined while another node has it. The result gives the right back. */
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
        // After a failed renewal, the next one comes before the lease expires.
        isOurs = await nodes.extend(name, epoch, leaseMs).catch(() => true);
      }
    })().catch(() => undefined); // the wait has been ended
    return async () => {
      ends.abort();
      await renewing;
      await nodes.free(name, epoch);
    };
  }

  /** Lists the reasons why nodes cannot coordinate: without a shared store each node would run every schedule. */
  async missing(config: string): Promise<readonly string[]> {
    if (this.#host.env("PIPEWRIGHT_CLUSTERED") !== "true") return [];
    const address = sharedAddress(this.#host);
    if (!isPostgres(address))
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

  /** The store; its drivers are loaded at the first use. */
  async #store(): Promise<Coordination> {
    return (await import("../../store/open-coordination.ts")).coordinationOf(this.#host);
  }
}
