import { type Coordination, type RateLimit, sweepEvery, sweptAtOnce, takenMs } from "./coordination.ts";
import { counted, noSlots, type RateSlots, ratesUntil, slotsAt, waitOf } from "./rate-slots.ts";
import type { SqliteStore } from "./sqlite-store.ts";

const q = {
  take: `INSERT INTO pw_ticks (schedule, slot, node, until) VALUES (?, ?, ?, ?)
    ON CONFLICT (schedule, slot) DO UPDATE SET node = excluded.node, until = excluded.until WHERE pw_ticks.until <= ?`,
  lease: `INSERT INTO pw_leases AS l (name, node, epoch, until) VALUES (?, ?, 1, ?)
    ON CONFLICT (name) DO UPDATE SET node = excluded.node, until = excluded.until, epoch = l.epoch + 1 WHERE l.until <= ? RETURNING epoch`,
  extend: "UPDATE pw_leases SET until = ? WHERE name = ? AND epoch = ? AND until > 0",
  free: "UPDATE pw_leases SET until = 0 WHERE name = ? AND epoch = ?",
  rate: "SELECT slot, counts FROM pw_rates WHERE name = ?",
  count: "INSERT OR REPLACE INTO pw_rates (name, slot, counts, until) VALUES (?, ?, ?, ?)",
  tally: "INSERT OR REPLACE INTO pw_tallies (name, node, count, until) VALUES (?, ?, ?, ?)",
  untally: "DELETE FROM pw_tallies WHERE name = ? AND (node = ? OR until <= ?)",
  others: "SELECT coalesce(sum(count), 0) AS sum FROM pw_tallies WHERE name = ? AND node <> ? AND until > ?",
  sweepTicks: "DELETE FROM pw_ticks WHERE (schedule, slot) IN (SELECT schedule, slot FROM pw_ticks WHERE until <= ? LIMIT ?)",
  sweepRates: "DELETE FROM pw_rates WHERE name IN (SELECT name FROM pw_rates WHERE until <= ? LIMIT ?)",
} as const;

/** The coordination of the processes of one machine, by a file of SQLite. */
export class SqliteCoordination implements Coordination {
  readonly #store: SqliteStore;
  readonly #release: () => void;
  #writes = 0;

  /** `release` is called in `close`; without it, `close` closes the store. */
  constructor(store: SqliteStore, release: () => void = () => store.close()) {
    this.#store = store;
    this.#release = release;
  }

  async take(schedule: readonly string[], slot: number, node: string): Promise<boolean> {
    return this.#write((now) => Number(this.#store.ask(q.take).run(JSON.stringify(schedule), slot, node, now + takenMs, now).changes) > 0);
  }

  async lease(name: string, node: string, ms: number): Promise<number | undefined> {
    return this.#write((now) => {
      const row = this.#store.ask(q.lease).get(name, node, now + ms, now);
      return row === undefined ? undefined : Number(row.epoch);
    });
  }

  async extend(name: string, epoch: number, ms: number): Promise<boolean> {
    return this.#write((now) => Number(this.#store.ask(q.extend).run(now + ms, name, epoch).changes) > 0);
  }

  async free(name: string, epoch: number): Promise<void> {
    await this.#write(() => this.#store.ask(q.free).run(name, epoch));
  }

  async hit(limits: readonly RateLimit[]): Promise<readonly number[]> {
    return this.#write((now) => {
      const slots = limits.map((limit) => slotsAt(this.#slots(limit.name), limit, now));
      const waits = limits.map((limit, i) => waitOf(slots[i] ?? noSlots, limit, now));
      if (waits.every((wait) => wait === 0))
        for (const [i, limit] of limits.entries()) {
          const next = counted(slots[i] ?? noSlots);
          this.#store.ask(q.count).run(limit.name, next.slot, JSON.stringify(next.counts), ratesUntil(next, limit));
        }
      return waits;
    });
  }

  async tally(name: string, node: string, count: number, ms: number): Promise<number> {
    return this.#write((now) => {
      this.#store.ask(q.untally).run(name, node, now);
      if (count > 0) this.#store.ask(q.tally).run(name, node, count, now + ms);
      return Number(this.#store.ask(q.others).get(name, node, now)?.sum);
    });
  }

  async now(): Promise<number> {
    return this.#store.now();
  }

  close(): void {
    this.#release();
  }

  #slots(name: string): RateSlots {
    const row = this.#store.ask(q.rate).get(name);
    return row === undefined ? noSlots : { slot: Number(row.slot), counts: JSON.parse(String(row.counts)) as number[] };
  }

  /** Does a write; one in `sweepEvery` also removes expired rows. */
  #write<T>(work: (now: number) => T): Promise<T> {
    return this.#store.write(() => {
      const now = this.#store.now();
      if (this.#writes++ % sweepEvery === 0) {
        this.#store.ask(q.sweepTicks).run(now, sweptAtOnce);
        this.#store.ask(q.sweepRates).run(now, sweptAtOnce);
      }
      return work(now);
    });
  }
}
