import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LocalStore } from "#runtime/state/local.ts";
import { MemoryRows } from "#runtime/state/memory.ts";
import { PostgresState } from "#runtime/state/postgres.ts";
import { SqliteRows } from "#runtime/state/sqlite.ts";
import type { StateStore } from "#runtime/state/store.ts";
import type { Coordination } from "#runtime/store/coordination.ts";
import { MemoryCoordination } from "#runtime/store/memory-coordination.ts";
import { MemoryRuns } from "#runtime/store/memory-runs.ts";
import { PostgresCoordination } from "#runtime/store/postgres-coordination.ts";
import { PostgresRuns } from "#runtime/store/postgres-runs.ts";
import { PostgresStore } from "#runtime/store/postgres-store.ts";
import type { NewRun, RunStore } from "#runtime/store/runs.ts";
import { scopeOf } from "#runtime/store/scope.ts";
import { SqliteCoordination } from "#runtime/store/sqlite-coordination.ts";
import { SqliteRuns } from "#runtime/store/sqlite-runs.ts";
import { SqliteStore } from "#runtime/store/sqlite-store.ts";
import { ownSchema } from "../../harness/peers/postgres-schema.ts";
import { server } from "../../harness/peers/postgres-server.ts";

/** A place for runs, as nodes share it. */
export interface Place {
  readonly name: string;
  /** The runs of one more node; those in memory have no other environment beside them. */
  readonly node: (environment?: string) => RunStore;
  /** The state of one more node. */
  readonly state: () => StateStore;
  /** The agreement of one more node. */
  readonly coordination: () => Coordination;
  /** Lets milliseconds pass by the clock of the store. */
  readonly pass: (ms: number) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** A place that outlives the process, by its address. */
export interface DurablePlace extends Place {
  readonly address: string;
}

/** The backends that keep what they have acknowledged. */
export const durable: readonly { readonly name: string; readonly open: () => Promise<DurablePlace> }[] = [
  { name: "sqlite", open: sqlite },
  ...(server === undefined ? [] : [{ name: "postgres", open: () => postgres(server ?? "") }]),
];

/** Every backend that this machine has, by name, with what makes a place of its own. */
export const backends: readonly { readonly name: string; readonly open: () => Promise<Place> }[] = [
  { name: "memory", open: memory },
  ...durable,
];

/** Nodes in one process, whose memory no other process shares. */
async function memory(): Promise<Place> {
  let now = 1_700_000_000_000;
  const store = new MemoryRuns(() => now);
  const state = new LocalStore(new MemoryRows(10_000_000), () => now);
  const coordination = new MemoryCoordination(() => now);
  return {
    name: "memory",
    node: () => store,
    state: () => state,
    coordination: () => coordination,
    pass: async (ms) => {
      now += ms;
    },
    close: async () => store.close(),
  };
}

/** Every node has a connection of its own, as processes of one machine have. */
async function sqlite(): Promise<DurablePlace> {
  let now = 1_700_000_000_000;
  const folder = mkdtempSync(join(tmpdir(), "pipewright-runs-"));
  const files: SqliteStore[] = [];
  const opened = (): SqliteStore => {
    const file = new SqliteStore(join(folder, "store.db"), 1_000_000, () => now);
    files.push(file);
    return file;
  };
  return {
    name: "sqlite",
    address: `sqlite:${join(folder, "store.db")}`,
    node: (environment) => new SqliteRuns(opened(), scopeIn(environment)),
    state: () => new LocalStore(new SqliteRows(opened()), () => now),
    coordination: () => new SqliteCoordination(opened()),
    pass: async (ms) => {
      now += ms;
    },
    close: async () => {
      for (const file of files) file.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const scopeIn = (environment = "production"): string => scopeOf({ organisation: "local", environment });

/** Tables of a schema of their own. The clock is that of the database, so the times in the rows are moved instead. */
async function postgres(address: string): Promise<DurablePlace> {
  const { client, address: url, drop } = await ownSchema(address, "runs");
  const stores: PostgresStore[] = [];
  const opened = (): PostgresStore => {
    const store = new PostgresStore(url.href, () => undefined);
    stores.push(store);
    return store;
  };
  await new PostgresRuns(opened(), scopeIn()).now();
  return {
    name: "postgres",
    address: url.href,
    node: (environment) => new PostgresRuns(opened(), scopeIn(environment)),
    state: () => new PostgresState(opened(), () => undefined),
    coordination: () => new PostgresCoordination(opened()),
    pass: async (ms) => {
      await client.query(`UPDATE pw_runs SET due = due - ${ms}, created = created - ${ms}, ended = ended - ${ms};
        UPDATE pw_run_waits SET until = until - ${ms}; UPDATE pw_run_keys SET until = until - ${ms};
        UPDATE pw_ticks SET until = until - ${ms}; UPDATE pw_leases SET until = until - ${ms} WHERE until > 0;
        UPDATE pw_rates SET until = until - ${ms}, slot = slot - ${ms} / (until / (slot + 21)) WHERE until > 0;
        UPDATE pw_tallies SET until = until - ${ms};
        UPDATE pw_state SET expires_at = expires_at - interval '${ms} milliseconds';
        UPDATE pw_seen SET expires_at = expires_at - interval '${ms} milliseconds'`);
    },
    close: async () => {
      await Promise.all(stores.map((store) => store.close()));
      await drop();
    },
  };
}

let runs = 0;

/** A run that no other test knows. */
export function newRun(more: Partial<NewRun> = {}): NewRun {
  const id = `00000000-0000-4000-8000-${String(++runs).padStart(12, "0")}`;
  return { id, config: "orders", interface: "Order", bundle: "b1", plan: "p1", input: `{"n":${runs}}`, seed: "5eed", ...more };
}

/** A token as it is stored. */
export const hashOf = (n: number): string => n.toString(16).padStart(64, "0");

export const minute = 60_000;

/** A lease of a minute. */
export const of = (node: string): { readonly node: string; readonly ms: number } => ({ node, ms: minute });
