import { Recent } from "../value/recent.ts";
import { type Coordination, type RateLimit, sweepEvery, takenMs } from "./coordination.ts";
import { counted, noSlots, type RateSlots, slotsAt, waitOf } from "./rate-slots.ts";

/** Names whose counts are kept; in a burst up to twice as many. */
const maxNames = 50_000;

/** The coordination of a single process with itself; it is forgotten when the process ends. */
export class MemoryCoordination implements Coordination {
  readonly #clock: () => number;
  readonly #taken = new Map<string, number>();
  readonly #leases = new Map<string, { readonly epoch: number; readonly until: number }>();
  #rates = new Recent<RateSlots>(maxNames);
  /** Counts, by their names and then by node. */
  readonly #tallies = new Map<string, Map<string, { readonly count: number; readonly until: number }>>();
  #latest = Number.NEGATIVE_INFINITY;
  #takes = 0;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  async take(schedule: readonly string[], slot: number): Promise<boolean> {
    const now = this.#now();
    if (this.#takes++ % sweepEvery === 0) for (const [name, until] of this.#taken) if (until <= now) this.#taken.delete(name);
    const name = JSON.stringify([...schedule, slot]);
    if ((this.#taken.get(name) ?? Number.NEGATIVE_INFINITY) > now) return false;
    this.#taken.set(name, now + takenMs);
    return true;
  }

  async lease(name: string, _node: string, ms: number): Promise<number | undefined> {
    const now = this.#now();
    const { epoch, until } = this.#leases.get(name) ?? { epoch: 0, until: now };
    if (until > now) return undefined;
    this.#leases.set(name, { epoch: epoch + 1, until: now + ms });
    return epoch + 1;
  }

  async extend(name: string, epoch: number, ms: number): Promise<boolean> {
    const lease = this.#leases.get(name);
    if (lease?.epoch !== epoch || lease.until === 0) return false;
    this.#leases.set(name, { epoch, until: this.#now() + ms });
    return true;
  }

  async free(name: string, epoch: number): Promise<void> {
    if (this.#leases.get(name)?.epoch === epoch) this.#leases.set(name, { epoch, until: 0 });
  }

  async hit(limits: readonly RateLimit[]): Promise<readonly number[]> {
    const now = this.#now();
    const slots = limits.map((limit) => slotsAt(this.#rates.get(limit.name) ?? noSlots, limit, now));
    const waits = limits.map((limit, i) => waitOf(slots[i] ?? noSlots, limit, now));
    if (waits.every((wait) => wait === 0))
      for (const [i, { name }] of limits.entries()) this.#rates.set(name, counted(slots[i] ?? noSlots));
    return waits;
  }

  async tally(name: string, node: string, count: number, ms: number): Promise<number> {
    const now = this.#now();
    const counts = this.#tallies.get(name) ?? new Map();
    this.#tallies.set(name, counts);
    for (const [other, { until }] of counts) if (until <= now) counts.delete(other);
    if (count === 0) counts.delete(node);
    else counts.set(node, { count, until: now + ms });
    return [...counts].reduce((sum, [other, one]) => (other === node ? sum : sum + one.count), 0);
  }

  async now(): Promise<number> {
    return this.#now();
  }

  close(): void {
    this.#taken.clear();
    this.#leases.clear();
    this.#tallies.clear();
    this.#rates = new Recent(maxNames);
  }

  #now(): number {
    this.#latest = Math.max(this.#latest, this.#clock());
    return this.#latest;
  }
}
