import { stored, textOf } from "./blobs.ts";
import { hasEnded, ownSession } from "./process-session.ts";
import {
  checkBytes,
  checkCheckpoints,
  checkNewRun,
  checkPaths,
  checkPayload,
  dedupeMs,
  keyOf,
  limitOf,
  probeText,
  prunedAtOnce,
} from "./run-bounds.ts";
import { detailsOf, type Row, rowOf, waitOf } from "./run-rows.ts";
import type {
  Checkpoint,
  ClaimedRun,
  Created,
  Held,
  Lease,
  NewRun,
  Resumed,
  RunDetails,
  RunRow,
  RunStore,
  RunsFilter,
  Then,
} from "./runs.ts";
import { queries as q } from "./sqlite-run-queries.ts";
import type { SqliteStore } from "./sqlite-store.ts";

/** Durable runs in a file of SQLite. Each operation is part of the transaction of its turn, under the lock of the file. */
export class SqliteRuns implements RunStore {
  readonly isLasting = true;
  readonly #store: SqliteStore;
  readonly #scope: string;
  readonly #release: () => void | Promise<void>;

  /** Runs of another `scope` are invisible. `release` is called in `close`; without it, `close` closes the store. */
  constructor(store: SqliteStore, scope: string, release: () => void | Promise<void> = () => store.close()) {
    this.#store = store;
    this.#scope = scope;
    this.#release = release;
  }

  async create(run: NewRun): Promise<Created | "quota"> {
    const bytes = checkNewRun(run);
    const input = await stored(run.input);
    const epoch = run.lease === undefined ? 0 : 1;
    return this.#store.write(() => {
      const now = this.#store.now();
      if (this.#get(q.exists, run.id) !== undefined) return { id: run.id, created: true, epoch };
      const { id, config, interface: target, quota, lease } = run;
      const scope = this.#scope;
      const key = keyOf(scope, run.dedupeKey);
      const first = key === null ? undefined : this.#get(q.key, config, target, key, now);
      if (first !== undefined) return { id: String(first.run), created: false, epoch: 0 };
      if (quota !== undefined && Number(this.#get(q.underWay, config, target, scope, config, target, scope, now)?.count) >= quota)
        return "quota";
      if (key !== null) this.#run(q.takeKey, config, target, key, id, now + dedupeMs);
      const due = lease === undefined ? (run.wakeAt ?? now) : now + lease.ms;
      const values = [id, config, target, run.bundle, run.plan, epoch, lease?.node ?? null, due, input.text, run.seed, bytes, now, scope];
      const { lastInsertRowid } = this.#store.ask(q.insert).run(...values);
      if (input.body !== null) this.#store.ask(q.addBlob).run(lastInsertRowid, "", input.body);
      return { id, created: true, epoch };
    });
  }

  async claim(lease: Lease, plans: readonly string[], limit: number): Promise<readonly ClaimedRun[]> {
    const claims = await this.#store.write(() => {
      const now = this.#store.now();
      const due = [...new Set(plans)].flatMap((plan) => this.#scopes.flatMap((scope) => this.#all(q.due, scope, plan, now, limit)));
      const order = due.sort((a, b) => Number(a.due) - Number(b.due) || Number(a.number) - Number(b.number)).slice(0, limit);
      return order.map(({ number }) => {
        const run = this.#get(q.claim, lease.node, now + lease.ms, this.#scope, Number(number)) ?? {};
        return { now, run, outputs: this.#all(q.outputs, Number(number)), waits: this.#all(q.openWaits, Number(number)) };
      });
    });
    return Promise.all(claims.map(claimed));
  }

  async renew(lease: Lease, held: readonly Held[]): Promise<readonly string[]> {
    return this.#store.write(() => {
      const due = this.#store.now() + lease.ms;
      return held.filter(({ id, epoch }) => this.#run(q.renew, due, id, epoch, lease.node) === 0).map(({ id }) => id);
    });
  }

  async checkpoint({ id, epoch }: Held, points: readonly Checkpoint[], then: Then): Promise<"ok" | "fenced"> {
    checkCheckpoints(points, then.wait);
    const outputs = await Promise.all(points.map(async ({ path, output }) => ({ path, ...(await stored(output)) })));
    return this.#store.write(() => {
      const now = this.#store.now();
      const run = this.#get(q.state, id, this.#scope);
      if (run === undefined || Number(run.epoch) !== epoch) return "fenced";
      if (run.ended !== null) return then.finish !== undefined && run.status !== "cancelled" ? "ok" : "fenced";
      const number = Number(run.number);
      let bytes = Number(run.bytes);
      for (const { path, text, body, bytes: more } of outputs) {
        if (this.#run(q.addOutput, number, path, text) === 0) continue;
        if (body !== null) this.#store.ask(q.addBlob).run(number, path, body);
        bytes += more;
      }
      this.#run(q.progress, then.plan ?? null, checkBytes(bytes), number);
      if (then.wait !== undefined) this.#run(q.addWait, then.wait.tokenHash, number, then.wait.path, then.wait.until);
      if (then.finish !== undefined) this.#run(q.finish, then.finish.status, then.finish.result, now, number);
      else if (then.release !== undefined) this.#letGo(number, then.release.at, now);
      return "ok";
    });
  }

  async resume(tokenHash: string, payload: string): Promise<Resumed> {
    checkPayload(payload);
    return this.#store.write(() => {
      const now = this.#store.now();
      const wait = this.#get(q.wait, tokenHash, this.#scope);
      if (wait === undefined) return { state: "unknown" };
      if (wait.payload !== null) return { state: "already", id: String(wait.id) };
      if (Number(wait.until) <= now || wait.ended !== null || wait.settled === 1) return { state: "unknown" };
      this.#run(q.pay, payload, tokenHash);
      this.#run(q.wake, now, Number(wait.run));
      return { state: "resumed", id: String(wait.id) };
    });
  }

  async cancel(id: string): Promise<"cancelled" | "over" | "unknown"> {
    return this.#store.write(() => {
      if (this.#run(q.cancel, this.#store.now(), id, this.#scope) > 0) return "cancelled";
      const run = this.#get(q.state, id, this.#scope);
      if (run === undefined) return "unknown";
      return run.status === "cancelled" ? "cancelled" : "over";
    });
  }

  async retry(id: string, again: readonly string[]): Promise<"due" | "refused" | "unknown"> {
    checkPaths(again);
    return this.#store.write(() => {
      const run = this.#get(q.number, id, this.#scope);
      if (run === undefined) return "unknown";
      if (this.#run(q.retry, this.#store.now(), id) === 0) return "refused";
      const paths = JSON.stringify(again);
      for (const query of [q.forgetOutputs, q.forgetBlobs, q.forgetWaits]) this.#run(query, Number(run.number), paths);
      return "due";
    });
  }

  async expireNode(node: string): Promise<number> {
    return this.#store.write(() => {
      const now = this.#store.now();
      return this.#run(q.expire, now, node, now);
    });
  }

  async attend(node: string): Promise<void> {
    const session = ownSession();
    await this.#store.write(() => this.#run(q.attend, node, session));
  }

  async probe(node: string): Promise<void> {
    await this.#store.write(() => this.#run(q.takeKey, "", "", node, probeText(), 0));
  }

  async expireGone(): Promise<number> {
    const nodes = await this.#store.read(() => this.#all(q.nodes));
    const gone = nodes.filter(({ session }) => hasEnded(String(session))).map(({ node }) => String(node));
    if (gone.length === 0) return 0;
    return this.#store.write(() => {
      const now = this.#store.now();
      return gone.reduce((sum, node) => {
        this.#run(q.leave, node);
        return sum + this.#run(q.expire, now, node, now);
      }, 0);
    });
  }

  async nextDue(plans: readonly string[]): Promise<number | undefined> {
    return this.#store.read(() => {
      const due = plans.flatMap((plan) => this.#scopes.flatMap((scope) => this.#all(q.nextDue, scope, plan).map((row) => Number(row.due))));
      return due.length === 0 ? undefined : Math.max(0, Math.min(...due) - this.#store.now());
    });
  }

  async list(filter: RunsFilter): Promise<readonly RunRow[]> {
    const { status = null, config = null, interface: target = null, after = null, dueBefore = null } = filter;
    const chosen = [status, config, target, dueBefore, after].flatMap((value) => [value, value]);
    return this.#store.read(() => this.#all(q.list, ...chosen, this.#scope, limitOf(filter)).map(rowOf));
  }

  async show(id: string): Promise<RunDetails | undefined> {
    return this.#store.read(() => {
      const run = this.#get(q.row, id, this.#scope);
      if (run === undefined) return undefined;
      const number = Number(run.number);
      return detailsOf(run, this.#all(q.paths, number), this.#all(q.openWaits, number), this.#store.now());
    });
  }

  async outputs(id: string): Promise<readonly Checkpoint[]> {
    const rows = await this.#store.read(() => {
      const run = this.#get(q.number, id, this.#scope);
      return run === undefined ? [] : this.#all(q.outputs, Number(run.number));
    });
    return Promise.all(rows.map(checkpointOf));
  }

  async stuck(plans: readonly string[], limit: number): Promise<readonly RunRow[]> {
    return this.#store.read(() => this.#all(q.stuck, JSON.stringify(plans), this.#scope, limitOf({ limit })).map(rowOf));
  }

  async prune(before: number): Promise<number> {
    return this.#store.write(() => {
      this.#run(q.forgetKeys, this.#store.now(), prunedAtOnce);
      return this.#run(q.prune, before, this.#scope, prunedAtOnce);
    });
  }

  async now(): Promise<number> {
    return this.#store.now();
  }

  close(): void | Promise<void> {
    return this.#release();
  }

  /** The scope of this store, and the empty scope of runs from before scopes existed. */
  get #scopes(): readonly string[] {
    return [this.#scope, ""];
  }

  /** Releases the run until `at`; without a time, until its first wait is resumed or expires. */
  #letGo(number: number, at: number | undefined, now: number): void {
    const waits = this.#all(q.openWaits, number);
    const ends = waits.map(({ until, payload }) => (payload === null ? Number(until) : now));
    const due = at ?? (ends.length === 0 ? now : Math.min(...ends));
    const isWaiting = waits.length > 0 && waits.every(({ payload }) => payload === null);
    this.#run(q.release, isWaiting ? "waiting" : "open", due, number);
  }

  #get(query: string, ...values: readonly Value[]): Row | undefined {
    return this.#store.ask(query).get(...values);
  }

  #all(query: string, ...values: readonly Value[]): Row[] {
    return this.#store.ask(query).all(...values);
  }

  /** Runs a statement; gives the number of changed rows. */
  #run(query: string, ...values: readonly Value[]): number {
    return Number(this.#store.ask(query).run(...values).changes);
  }
}

type Value = string | number | null;

interface Claim {
  readonly now: number;
  readonly run: Row;
  readonly outputs: readonly Row[];
  readonly waits: readonly Row[];
}

const checkpointOf = async ({ path, output, body }: Row): Promise<Checkpoint> => ({
  path: String(path),
  output: await textOf(output, body),
});

async function claimed({ now, run, outputs, waits }: Claim): Promise<ClaimedRun> {
  return {
    id: String(run.id),
    config: String(run.config),
    interface: String(run.interface),
    bundle: String(run.bundle),
    plan: String(run.plan),
    input: await textOf(run.input, run.body),
    seed: String(run.seed),
    epoch: Number(run.epoch),
    checkpoints: await Promise.all(outputs.map(checkpointOf)),
    waits: waits.map((wait) => waitOf(wait, now)),
    age: now - Number(run.created),
  };
}
