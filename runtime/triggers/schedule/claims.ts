import type { Host } from "../../process/host.ts";
import { stateAddress } from "../../state/durability.ts";
import { identity, type StateKey, type StateStore } from "../../state/store.ts";

/** How long a run is known to go on without a word of its node. */
const leaseMs = 60_000;

/** How long it is remembered that a time has been taken. */
const claimMs = 7 * 86_400_000;

/** How long a start waits for the store that nodes share. */
const patienceMs = 10_000;

const placeOf = (...parts: readonly string[]): StateKey => ({ namespace: "pipewright.schedule", key: identity(JSON.stringify(parts)) });

/** The interface to which a schedule belongs. */
export interface Owner {
  readonly config: string;
  readonly interface: string;
}

/** Decides which node runs a schedule: rows of the state store, one for each time and one for the run under way (spec/surfaces 2). */
export class Claims {
  readonly #host: Host;
  readonly #node: string;

  constructor(host: Host) {
    this.#host = host;
    this.#node = host.uuid();
  }

  /** True for exactly one caller, of all nodes and for all time. Rejects when the store does not answer. */
  async take({ config, interface: target }: Owner, at: number): Promise<boolean> {
    const store = await this.#store();
    const claim = { node: this.#node };
    return (await store.set(placeOf("tick", config, target, `${at}`), claim, { ttl: claimMs, expected: 0 })) !== undefined;
  }

  /** Takes the sole right to run; undefined while another node has it. The result gives the right back. */
  async lease({ config, interface: target }: Owner): Promise<(() => Promise<void>) | undefined> {
    const store = await this.#store();
    const place = placeOf("run", config, target);
    const value = { node: this.#node };
    const first = await store.set(place, value, { ttl: leaseMs, expected: 0 });
    if (first === undefined) return undefined;
    const ends = new AbortController();
    let version: number | undefined = first;
    const renewing = (async () => {
      while (version !== undefined) {
        await this.#host.sleep(leaseMs / 3, ends.signal);
        // A renewal that fails is tried again by the next, before the lease has lapsed.
        version = await store.set(place, value, { ttl: leaseMs, expected: version }).catch(() => version);
      }
    })().catch(() => undefined); // the wait has been ended
    return async () => {
      ends.abort();
      await renewing;
      if (version !== undefined) await store.set(place, null, { ttl: 1, expected: version });
    };
  }

  /** Lists the reasons that keep nodes from agreeing: without a store that they share each would run every schedule. */
  async missing(config: string): Promise<readonly string[]> {
    if (this.#host.env("PIPEWRIGHT_CLUSTERED") !== "true") return [];
    const address = stateAddress(this.#host);
    if (!/^postgres(?:ql)?:\/\//i.test(address))
      return [`schedules of ${config} need a database that all nodes share: set PIPEWRIGHT_DATABASE_URL to postgres://…`];
    const until = this.#host.monotonic() + patienceMs;
    for (;;) {
      try {
        await (await this.#store()).get(placeOf("start"));
        return [];
      } catch {
        // The log has the reason.
        if (this.#host.monotonic() >= until) return [`schedules of ${config}: the database of PIPEWRIGHT_DATABASE_URL does not answer`];
      }
      await this.#host.sleep(500, new AbortController().signal);
    }
  }

  /** Its drivers are not loaded before they are needed. */
  async #store(): Promise<StateStore> {
    return (await import("../../state/open.ts")).leaderStateOf(this.#host);
  }
}
