import { claimed, endOf, isOver, type KeptRun, type KeptWait, openWaits, outputsOf, rowOf, stateOf } from "./memory-run-rows.ts";
import {
  checkBytes,
  checkCheckpoints,
  checkNewRun,
  checkPaths,
  checkPayload,
  dedupeMs,
  firstOfPaths,
  limitOf,
  prunedAtOnce,
} from "./run-bounds.ts";
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
  RunStatus,
  RunStore,
  RunsFilter,
  Then,
  Wait,
} from "./runs.ts";

/** The most bytes of runs that are over; the oldest of them are removed before their time. */
const mostOver = 67_108_864;

/** Runs in memory, which are lost when the process ends: for tests, and for a single process without a store. */
export class MemoryRuns implements RunStore {
  readonly isLasting: boolean = false;
  readonly #clock: () => number;
  readonly #runs = new Map<string, KeptRun>();
  readonly #keys = new Map<string, { readonly run: string; readonly until: number }>();
  readonly #tokens = new Map<string, KeptWait>();
  #numbers = 0;
  /** Bytes of runs that are over. */
  #over = 0;
  #latest = Number.NEGATIVE_INFINITY;

  constructor(clock: () => number) {
    this.#clock = clock;
  }

  async create(run: NewRun): Promise<Created | "quota"> {
    const bytes = checkNewRun(run);
    const now = this.#now();
    if (this.#runs.has(run.id)) return { id: run.id, created: true, epoch: run.lease === undefined ? 0 : 1 };
    const key = run.dedupeKey === undefined ? undefined : JSON.stringify([run.config, run.interface, run.dedupeKey]);
    const first = key === undefined ? undefined : this.#keys.get(key);
    if (first !== undefined && first.until > now) return { id: first.run, created: false, epoch: 0 };
    if (run.quota !== undefined && this.#underWay(run, now) >= run.quota) return "quota";
    if (key !== undefined) this.#keys.set(key, { run: run.id, until: now + dedupeMs });
    const due = run.lease === undefined ? (run.wakeAt ?? now) : now + run.lease.ms;
    this.#runs.set(run.id, {
      run,
      number: ++this.#numbers,
      created: now,
      outputs: new Map(),
      waits: [],
      plan: run.plan,
      status: "open",
      epoch: run.lease === undefined ? 0 : 1,
      node: run.lease?.node ?? null,
      due,
      bytes,
      ended: null,
      result: null,
    });
    return { id: run.id, created: true, epoch: run.lease === undefined ? 0 : 1 };
  }

  async claim(lease: Lease, plans: readonly string[], limit: number): Promise<readonly ClaimedRun[]> {
    const now = this.#now();
    const due = this.#open(plans).filter((entry) => entry.due <= now);
    return due
      .sort((a, b) => a.due - b.due || a.number - b.number)
      .slice(0, limit)
      .map((entry) => {
        entry.status = "open";
        entry.node = lease.node;
        entry.due = now + lease.ms;
        entry.epoch += 1;
        return claimed(entry, now);
      });
  }

  async renew(lease: Lease, held: readonly Held[]): Promise<readonly string[]> {
    const now = this.#now();
    return held.flatMap(({ id, epoch }) => {
      const entry = this.#runs.get(id);
      if (entry === undefined || entry.epoch !== epoch || entry.node !== lease.node) return [id];
      entry.due = now + lease.ms;
      return [];
    });
  }

  async checkpoint({ id, epoch }: Held, points: readonly Checkpoint[], then: Then): Promise<"ok" | "fenced"> {
    checkCheckpoints(points, then.wait);
    const now = this.#now();
    const entry = this.#runs.get(id);
    if (entry === undefined || entry.epoch !== epoch) return "fenced";
    if (isOver(entry.status)) return then.finish !== undefined && entry.status !== "cancelled" ? "ok" : "fenced";
    const fresh = firstOfPaths(points).filter(({ path }) => !entry.outputs.has(path));
    const bytes = checkBytes(entry.bytes + fresh.reduce((sum, { output }) => sum + Buffer.byteLength(output), 0));
    for (const { path, output } of fresh) entry.outputs.set(path, output);
    entry.bytes = bytes;
    entry.plan = then.plan ?? entry.plan;
    if (then.wait !== undefined) this.#register(entry, then.wait);
    if (then.finish !== undefined) {
      this.#end(entry, then.finish.status, now);
      entry.result = then.finish.result;
    } else if (then.release !== undefined) this.#release(entry, then.release.at, now);
    return "ok";
  }

  async resume(tokenHash: string, payload: string): Promise<Resumed> {
    checkPayload(payload);
    const now = this.#now();
    const wait = this.#tokens.get(tokenHash);
    const entry = wait === undefined ? undefined : this.#runs.get(wait.run);
    if (wait === undefined || entry === undefined) return { state: "unknown" };
    if (wait.payload !== undefined) return { state: "already", id: wait.run };
    if (endOf(wait, entry) <= now || isOver(entry.status) || entry.outputs.has(wait.path)) return { state: "unknown" };
    wait.payload = payload;
    if (entry.node === null) {
      entry.due = Math.min(entry.due, now);
      entry.status = "open";
    }
    return { state: "resumed", id: wait.run };
  }

  async cancel(id: string): Promise<"cancelled" | "over" | "unknown"> {
    const entry = this.#runs.get(id);
    if (entry === undefined) return "unknown";
    if (isOver(entry.status)) return entry.status === "cancelled" ? "cancelled" : "over";
    this.#end(entry, "cancelled", this.#now());
    entry.epoch += 1;
    return "cancelled";
  }

  async retry(id: string, again: readonly string[]): Promise<"due" | "refused" | "unknown"> {
    checkPaths(again);
    const entry = this.#runs.get(id);
    if (entry === undefined) return "unknown";
    if (entry.status !== "failed" && entry.status !== "cancelled") return "refused";
    for (const path of again) entry.outputs.delete(path);
    for (const { tokenHash } of entry.waits.filter(({ path }) => again.includes(path))) this.#tokens.delete(tokenHash);
    entry.waits = entry.waits.filter(({ path }) => !again.includes(path));
    this.#over -= entry.bytes;
    Object.assign(entry, { status: "open", epoch: entry.epoch + 1, due: this.#now(), ended: null, result: null });
    return "due";
  }

  async expireNode(node: string): Promise<number> {
    const now = this.#now();
    const held = [...this.#runs.values()].filter((entry) => entry.node === node && entry.due > now);
    for (const entry of held) entry.due = now;
    return held.length;
  }

  /** No other process can see what is in memory. */
  async attend(): Promise<void> {}

  async probe(): Promise<void> {}

  async expireGone(): Promise<number> {
    return 0;
  }

  async nextDue(plans: readonly string[]): Promise<number | undefined> {
    const now = this.#now();
    const due = this.#open(plans).reduce((least, entry) => Math.min(least, entry.due), Number.POSITIVE_INFINITY);
    return due === Number.POSITIVE_INFINITY ? undefined : Math.max(0, due - now);
  }

  async list(filter: RunsFilter): Promise<readonly RunRow[]> {
    const after = filter.after === undefined ? Number.POSITIVE_INFINITY : (this.#runs.get(filter.after)?.number ?? 0);
    const fits = ({ run, status, number, due }: KeptRun): boolean =>
      number < after &&
      (filter.dueBefore === undefined || (!isOver(status) && due < filter.dueBefore)) &&
      (filter.status === undefined || status === filter.status) &&
      (filter.config === undefined || run.config === filter.config) &&
      (filter.interface === undefined || run.interface === filter.interface);
    return [...this.#runs.values()].filter(fits).reverse().slice(0, limitOf(filter)).map(rowOf);
  }

  async show(id: string): Promise<RunDetails | undefined> {
    const entry = this.#runs.get(id);
    if (entry === undefined) return undefined;
    const now = this.#now();
    const waits = openWaits(entry).map((wait) => ({
      path: wait.path,
      tokenHash: wait.tokenHash,
      until: wait.until,
      state: stateOf(wait, now),
    }));
    return { ...rowOf(entry), settled: [...entry.outputs.keys()], waits, result: entry.result };
  }

  async outputs(id: string): Promise<readonly Checkpoint[]> {
    return outputsOf(this.#runs.get(id));
  }

  async stuck(plans: readonly string[], limit: number): Promise<readonly RunRow[]> {
    const stuck = [...this.#runs.values()].filter(({ status, plan }) => !isOver(status) && !plans.includes(plan));
    return stuck.slice(0, limitOf({ limit })).map(rowOf);
  }

  async prune(before: number): Promise<number> {
    const old = [...this.#runs].filter(([, { ended }]) => ended !== null && ended < before).slice(0, prunedAtOnce);
    for (const [, entry] of old) this.#remove(entry);
    const now = this.#now();
    for (const [key, { until }] of this.#keys) if (until <= now) this.#keys.delete(key);
    return old.length;
  }

  async now(): Promise<number> {
    return this.#now();
  }

  close(): void {
    this.#runs.clear();
    this.#keys.clear();
    this.#tokens.clear();
  }

  #register(entry: KeptRun, { path, tokenHash, until }: Wait): void {
    if (this.#tokens.has(tokenHash)) return;
    const wait = { path, tokenHash, until, run: entry.run.id };
    entry.waits.push(wait);
    this.#tokens.set(tokenHash, wait);
  }

  /** Releases the run until `at`; without a time, until its first wait is resumed or expires. */
  #release(entry: KeptRun, at: number | undefined, now: number): void {
    entry.node = null;
    const waits = openWaits(entry);
    const ends = waits.map(({ until, payload }) => (payload === undefined ? until : now));
    entry.due = at ?? (ends.length === 0 ? now : Math.min(...ends));
    entry.status = waits.length > 0 && waits.every(({ payload }) => payload === undefined) ? "waiting" : "open";
  }

  #end(entry: KeptRun, status: RunStatus, now: number): void {
    entry.status = status;
    entry.node = null;
    entry.ended = now;
    this.#over += entry.bytes;
    if (this.#over <= mostOver) return;
    for (const other of this.#runs.values()) {
      if (other.ended === null || other === entry) continue;
      this.#remove(other);
      if (this.#over <= mostOver) return;
    }
  }

  /** Forgets a run that is over. */
  #remove({ run, waits, bytes }: KeptRun): void {
    this.#over -= bytes;
    this.#runs.delete(run.id);
    for (const { tokenHash } of waits) this.#tokens.delete(tokenHash);
  }

  #open(plans: readonly string[]): KeptRun[] {
    return [...this.#runs.values()].filter(({ status, plan }) => !isOver(status) && plans.includes(plan));
  }

  #underWay({ config, interface: target }: NewRun, now: number): number {
    let count = 0;
    for (const { run, status, node, due } of this.#runs.values())
      if (run.config === config && run.interface === target && !isOver(status) && (node !== null || due <= now)) count += 1;
    return count;
  }

  /** The time of the store. The clock of the process may be set back, but this time never goes back. */
  #now(): number {
    this.#latest = Math.max(this.#latest, this.#clock());
    return this.#latest;
  }
}
