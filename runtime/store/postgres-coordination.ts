import { type Coordination, type RateLimit, sweepEvery, sweptAtOnce, takenMs } from "./coordination.ts";
import type { Statement } from "./postgres-batch.ts";
import type { PostgresStore } from "./postgres-store.ts";
import { noSlots, slotMs, slotsAt, slotsOfWindow, waitOf } from "./rate-slots.ts";

/** The clock of the database, which also moves on while a statement waits for a lock. */
const now = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

const q = {
  /** $1 schedule, $2 slot, $3 node, $4 key of the row that nodes of version 0.1.0 take: a slot is free only when both rows are. */
  take: `WITH older AS (
    INSERT INTO pw_state AS s (ns, key, value, version, expires_at)
    VALUES ('pipewright.schedule', $4, jsonb_build_object('node', $3::text), 1, clock_timestamp() + interval '${takenMs} milliseconds')
    ON CONFLICT (ns, key) DO UPDATE SET expires_at = EXCLUDED.expires_at, value = EXCLUDED.value, version = 1 WHERE s.expires_at <= clock_timestamp()
    RETURNING 1
  ) INSERT INTO pw_ticks AS t (schedule, slot, node, until) SELECT $1, $2::bigint, $3, ${now} + ${takenMs} FROM older
    ON CONFLICT (schedule, slot) DO UPDATE SET node = EXCLUDED.node, until = EXCLUDED.until WHERE t.until <= ${now} RETURNING 1`,
  /** $1 name, $2 node, $3 milliseconds. */
  lease: `INSERT INTO pw_leases AS l (name, node, epoch, until) VALUES ($1, $2, 1, ${now} + $3::bigint)
    ON CONFLICT (name) DO UPDATE SET node = EXCLUDED.node, until = ${now} + $3::bigint, epoch = l.epoch + 1 WHERE l.until <= ${now}
    RETURNING epoch`,
  /** $1 name, $2 epoch, $3 milliseconds. */
  extend: `UPDATE pw_leases SET until = ${now} + $3::bigint WHERE name = $1 AND epoch = $2::bigint AND until > 0 RETURNING 1`,
  free: "UPDATE pw_leases SET until = 0 WHERE name = $1 AND epoch = $2::bigint",
  /** $1: limits as a JSON list, in the order of their names. */
  enter: `INSERT INTO pw_rates (name, slot, counts, until) SELECT name, 0, '{0}', 0 FROM jsonb_to_recordset($1::jsonb) AS w (name text)
    ORDER BY name ON CONFLICT (name) DO NOTHING`,
  /**
   * The rule of runtime/store/rate-slots.ts; `gone` is the number of slots that have begun since the newest one. It gives a row for each
   * name when all requests were let in.
   */
  hit: `WITH held AS (
    SELECT r.name, r.slot, r.counts, w.requests, w.ms FROM pw_rates r
    JOIN jsonb_to_recordset($1::jsonb) AS w (name text, requests bigint, ms bigint) ON w.name = r.name ORDER BY r.name FOR UPDATE OF r
  ), timed AS MATERIALIZED (SELECT *, greatest(0, ${now} / ms - slot) AS gone FROM held
  ), judged AS (
    SELECT name, slot + gone AS slot, ms, (SELECT coalesce(sum(c), 0) FROM unnest(counts[1:greatest(0, ${slotsOfWindow} + 1 - gone)::int]) AS c) < requests AS fits,
      CASE WHEN gone = 0 THEN ARRAY[counts[1] + 1] || counts[2:] WHEN gone > ${slotsOfWindow} THEN ARRAY[1]::bigint[]
        ELSE ARRAY[1]::bigint[] || array_fill(0::bigint, ARRAY[gone::int - 1]) || counts[1:(${slotsOfWindow} + 1 - gone)::int] END AS counts FROM timed
  ) UPDATE pw_rates AS r SET slot = j.slot, counts = j.counts, until = (j.slot + ${slotsOfWindow} + 1) * j.ms FROM judged j
    WHERE r.name = j.name AND NOT EXISTS (SELECT FROM judged WHERE NOT fits) RETURNING r.name`,
  look: `SELECT r.name, r.slot, array_to_json(r.counts) AS counts, ${now} AS now FROM pw_rates r
    WHERE r.name IN (SELECT name FROM jsonb_to_recordset($1::jsonb) AS w (name text))`,
  /** $1 name, $2 node, $3 count, $4 milliseconds. The sum reads the rows of other nodes as they were before the statement. */
  tally: `WITH gone AS (DELETE FROM pw_tallies WHERE name = $1 AND node = $2 AND $3::bigint = 0
  ), own AS (
    INSERT INTO pw_tallies (name, node, count, until) SELECT $1, $2, $3::bigint, ${now} + $4::bigint WHERE $3::bigint > 0
    ON CONFLICT (name, node) DO UPDATE SET count = EXCLUDED.count, until = EXCLUDED.until
  ) SELECT coalesce(sum(count), 0) AS sum FROM pw_tallies WHERE name = $1 AND node <> $2 AND until > ${now}`,
  sweepTicks: `DELETE FROM pw_ticks WHERE ctid = ANY (ARRAY(SELECT ctid FROM pw_ticks WHERE until <= ${now} LIMIT ${sweptAtOnce} FOR UPDATE SKIP LOCKED))`,
  sweepRates: `DELETE FROM pw_rates WHERE ctid = ANY (ARRAY(SELECT ctid FROM pw_rates WHERE until <= ${now} LIMIT ${sweptAtOnce} FOR UPDATE SKIP LOCKED))`,
  sweepTallies: `DELETE FROM pw_tallies WHERE ctid = ANY (ARRAY(SELECT ctid FROM pw_tallies WHERE until <= ${now} LIMIT ${sweptAtOnce} FOR UPDATE SKIP LOCKED))`,
} as const;

const sweeps: readonly Statement[] = [q.sweepTicks, q.sweepRates, q.sweepTallies].map((text) => ({ text, values: [] }));

/** The coordination of all nodes that share a database of PostgreSQL. */
export class PostgresCoordination implements Coordination {
  readonly #store: PostgresStore;
  readonly #release: () => void | Promise<void>;
  #asked = 0;

  /** `release` is called in `close`; without it, `close` closes the store. */
  constructor(store: PostgresStore, release: () => void | Promise<void> = () => store.close()) {
    this.#store = store;
    this.#release = release;
  }

  async take(schedule: readonly string[], slot: number, node: string): Promise<boolean> {
    const name = JSON.stringify(schedule);
    const older = JSON.stringify(["tick", ...schedule, `${slot}`]);
    await this.#sweep();
    return (await this.#store.ask(q.take, [name, slot, node, older], `tick ${name}`)).length > 0;
  }

  async lease(name: string, node: string, ms: number): Promise<number | undefined> {
    const [row] = await this.#store.ask(q.lease, [name, node, Math.ceil(ms)], `lease ${name}`);
    return row === undefined ? undefined : Number(row.epoch);
  }

  async extend(name: string, epoch: number, ms: number): Promise<boolean> {
    return (await this.#store.ask(q.extend, [name, epoch, Math.ceil(ms)], `lease ${name}`)).length > 0;
  }

  async free(name: string, epoch: number): Promise<void> {
    await this.#store.ask(q.free, [name, epoch], `lease ${name}`);
  }

  async hit(limits: readonly RateLimit[]): Promise<readonly number[]> {
    if (limits.length === 0) return [];
    await this.#sweep();
    const questions = limits.map((limit) => ({ name: limit.name, requests: limit.requests, ms: slotMs(limit) }));
    const values = [JSON.stringify(questions)];
    const statements = [q.enter, q.hit, q.look].map((text): Statement => ({ text, values }));
    const [first] = limits;
    // Rows of several names are locked in the order of the names, in a transaction of their own, so that no deadlock occurs.
    const results =
      limits.length === 1 && first !== undefined ? this.#store.unit(statements, `rate ${first.name}`) : this.#store.alone(...statements);
    const [, admitted = [], rows = []] = await results;
    if (admitted.length > 0) return limits.map(() => 0);
    return limits.map((limit) => {
      const row = rows.find(({ name }) => name === limit.name);
      const slots = row === undefined ? noSlots : { slot: Number(row.slot), counts: JSON.parse(String(row.counts)) as number[] };
      const time = Number(row?.now ?? 0);
      return waitOf(slotsAt(slots, limit, time), limit, time);
    });
  }

  async tally(name: string, node: string, count: number, ms: number): Promise<number> {
    await this.#sweep();
    const [row] = await this.#store.ask(q.tally, [name, node, count, Math.ceil(ms)], `tally ${name} ${node}`);
    return Number(row?.sum);
  }

  async now(): Promise<number> {
    const [row] = await this.#store.ask(`SELECT ${now} AS now`, []);
    return Number(row?.now);
  }

  close(): void | Promise<void> {
    return this.#release();
  }

  /** Removes expired rows, in one of `sweepEvery` operations. */
  async #sweep(): Promise<void> {
    if (this.#asked++ % sweepEvery === 0) await this.#store.alone(...sweeps);
  }
}
