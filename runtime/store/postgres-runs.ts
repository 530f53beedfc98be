import { stored, textOf } from "./blobs.ts";
import type { Statement } from "./postgres-batch.ts";
import { queries as q } from "./postgres-run-queries.ts";
import type { PostgresSession } from "./postgres-session.ts";
import type { PostgresStore } from "./postgres-store.ts";
import {
  checkCheckpoints,
  checkNewRun,
  checkPaths,
  checkPayload,
  firstOfPaths,
  keyOf,
  limitOf,
  probeText,
  prunedAtOnce,
  tooLarge,
} from "./run-bounds.ts";
import { detailsOf, type Row, rowOf, waitOf } from "./run-rows.ts";
import type {
  Checkpoint,
  ClaimedRun,
  Created,
  Held,
  Lease,
  NewRun,
  OnSeen,
  Resumed,
  RunDetails,
  RunRow,
  RunStore,
  RunsFilter,
  Then,
} from "./runs.ts";

/** Durable runs in a database of PostgreSQL that nodes share, by the clock of the database. */
export class PostgresRuns implements RunStore {
  readonly isLasting = true;
  readonly #store: PostgresStore;
  readonly #scope: string;
  readonly #release: () => void | Promise<void>;
  #session: PostgresSession | undefined;

  /** Runs of another `scope` are invisible. `release` is called in `close`; without it, `close` closes the store. */
  constructor(store: PostgresStore, scope: string, release: () => void | Promise<void> = () => store.close()) {
    this.#store = store;
    this.#scope = scope;
    this.#release = release;
  }

  async create(run: NewRun): Promise<Created | "quota"> {
    const bytes = checkNewRun(run);
    const { id, config, interface: target, lease, dedupeKey, quota = null } = run;
    const input = await stored(run.input);
    const epoch = lease === undefined ? 0 : 1;
    const taken = [epoch, lease?.node ?? null, lease === undefined ? null : Math.ceil(lease.ms), whole(run.wakeAt)];
    const texts = [input.text, run.seed, bytes, input.body?.toString("base64") ?? null];
    const create = {
      text: q.create,
      values: [id, config, target, run.bundle, run.plan, ...taken, ...texts, keyOf(this.#scope, dedupeKey), quota, this.#scope],
    };
    const counted = JSON.stringify([config, target]);
    const turns = quota === null ? [] : [{ text: q.turns, values: [counted] }];
    const results = await this.#store.unit([...turns, create], `create ${counted}`);
    const row = results.at(-1)?.[0] ?? {};
    if (row.created === "t") return { id, created: true, epoch };
    // The first run of a key may be this one, which may be removed already.
    if (typeof row.first === "string" && (row.known === "t" || row.first !== id)) return { id: row.first, created: false, epoch: 0 };
    // Another call has created the same run at the same moment.
    return row.filled === "t" ? "quota" : { id, created: true, epoch };
  }

  async claim(lease: Lease, plans: readonly string[], limit: number): Promise<readonly ClaimedRun[]> {
    const values = [JSON.stringify(plans), this.#scope, limit, lease.node, Math.ceil(lease.ms)];
    const [runs = []] = await this.#store.alone({ text: q.claim, values });
    if (runs.length === 0) return [];
    // No other node changes outputs of these runs, because this node holds them.
    const numbers = [JSON.stringify(runs.map(({ number }) => String(number)))];
    const [outputs = [], waits = []] = await this.#store.alone(
      { text: q.outputs, values: numbers },
      { text: q.openWaits, values: numbers },
    );
    return Promise.all(runs.map((run) => claimed(run, belonging(outputs, run), belonging(waits, run))));
  }

  async renew(lease: Lease, held: readonly Held[]): Promise<readonly string[]> {
    if (held.length === 0) return [];
    const [renewed = []] = await this.#store.alone({ text: q.renew, values: [Math.ceil(lease.ms), JSON.stringify(held), lease.node] });
    const ids = new Set(renewed.map(({ id }) => id));
    return held.filter(({ id }) => !ids.has(id)).map(({ id }) => id);
  }

  async checkpoint({ id, epoch }: Held, points: readonly Checkpoint[], then: Then): Promise<"ok" | "fenced"> {
    checkCheckpoints(points, then.wait);
    const outputs = await Promise.all(firstOfPaths(points).map(({ path, output }) => sent(path, output)));
    const ask = (text: string, ...values: Statement["values"]): Statement => ({ text, values: [id, epoch, ...values] });
    const { wait, release, finish } = then;
    const statements = [
      ask(q.progress, then.plan ?? null, JSON.stringify(outputs)),
      ...(wait === undefined ? [] : [ask(q.addWait, wait.tokenHash, wait.path, Math.round(wait.until))]),
      ...(finish === undefined ? [] : [ask(q.finish, finish.status, finish.result), ask(q.isFinished)]),
      ...(finish === undefined && release !== undefined ? [ask(q.release, whole(release.at))] : []),
    ];
    const results = await this.#store.unit(statements, `run ${id}`).catch(refused);
    const isOk = (results[0]?.length ?? 0) > 0 || (finish !== undefined && (results.at(-1)?.length ?? 0) > 0);
    return isOk ? "ok" : "fenced";
  }

  async resume(tokenHash: string, payload: string): Promise<Resumed> {
    checkPayload(payload);
    const ask = (text: string, ...more: readonly string[]): Statement => ({ text, values: [tokenHash, this.#scope, ...more] });
    const [, [resumed] = [], [already] = []] = await this.#store.alone(ask(q.lockWaiting), ask(q.resume, payload), ask(q.paidBefore));
    if (resumed !== undefined) return { state: "resumed", id: String(resumed.id) };
    return already === undefined ? { state: "unknown" } : { state: "already", id: String(already.id) };
  }

  async cancel(id: string): Promise<"cancelled" | "over" | "unknown"> {
    const [, [run] = []] = await this.#changed(q.cancel, id);
    if (run === undefined) return "unknown";
    return run.status === "cancelled" ? "cancelled" : "over";
  }

  async retry(id: string, again: readonly string[]): Promise<"due" | "refused" | "unknown"> {
    checkPaths(again);
    const [[due] = [], [run] = []] = await this.#changed(q.retry, id, JSON.stringify(again));
    if (due !== undefined) return "due";
    return run === undefined ? "unknown" : "refused";
  }

  async expireNode(node: string): Promise<number> {
    const [[row] = []] = await this.#store.alone({ text: q.expire, values: [node] });
    return Number(row?.count);
  }

  async attend(node: string, onSeen?: OnSeen): Promise<void> {
    // This call creates the tables, if they are missing.
    await this.now();
    this.#session ??= this.#store.session(node, onSeen);
    await this.#session.open();
  }

  async probe(node: string): Promise<void> {
    await this.#store.ask(q.probe, [node, probeText()], `probe ${node}`);
  }

  async expireGone(): Promise<number> {
    const [[row] = []] = await this.#store.alone({ text: q.expireGone, values: [] });
    return Number(row?.count);
  }

  async nextDue(plans: readonly string[]): Promise<number | undefined> {
    const [row] = await this.#store.ask(q.nextDue, [JSON.stringify(plans), this.#scope]);
    return row === undefined || row.due === null ? undefined : Number(row.due);
  }

  async list(filter: RunsFilter): Promise<readonly RunRow[]> {
    const { status = null, config = null, interface: target = null, after = null, dueBefore } = filter;
    const values = [status, config, target, after, limitOf(filter), whole(dueBefore), this.#scope];
    return (await this.#store.ask(q.list, values)).map(rowOf);
  }

  async show(id: string): Promise<RunDetails | undefined> {
    const others = [q.paths, q.waitsOf].map((text) => ({ text, values: [id] }));
    const [[run] = [], paths = [], waits = []] = await this.#store.unit([{ text: q.row, values: [id, this.#scope] }, ...others], "");
    return run === undefined ? undefined : detailsOf(run, paths, waits, Number(run.now));
  }

  async outputs(id: string): Promise<readonly Checkpoint[]> {
    return Promise.all((await this.#store.ask(q.outputsOf, [id, this.#scope])).map(checkpointOf));
  }

  async stuck(plans: readonly string[], limit: number): Promise<readonly RunRow[]> {
    return (await this.#store.ask(q.stuck, [JSON.stringify(plans), this.#scope, limitOf({ limit })])).map(rowOf);
  }

  async prune(before: number): Promise<number> {
    const [, [row] = []] = await this.#store.alone(
      { text: q.forgetKeys, values: [prunedAtOnce] },
      { text: q.prune, values: [Math.round(before), prunedAtOnce, this.#scope] },
    );
    return Number(row?.count);
  }

  async now(): Promise<number> {
    const [row] = await this.#store.ask(q.now, []);
    return Number(row?.now);
  }

  async close(): Promise<void> {
    await this.#session?.close();
    await this.#release();
  }

  /** Changes a run, and reads its state after the change. */
  #changed(text: string, id: string, ...more: readonly string[]): ReturnType<PostgresStore["unit"]> {
    return this.#store.unit(
      [
        { text, values: [id, this.#scope, ...more] },
        { text: q.status, values: [id, this.#scope] },
      ],
      `run ${id}`,
    );
  }
}

const whole = (time: number | undefined): number | null => (time === undefined ? null : Math.round(time));

async function sent(path: string, output: string): Promise<Readonly<Record<string, string | number | null>>> {
  const { text, body, bytes } = await stored(output);
  return { path, output: text, body: body?.toString("base64") ?? null, bytes };
}

/** A constraint of the table bounds the bytes of a run. */
function refused(error: unknown): never {
  const isTooLarge = error instanceof Error && "constraint" in error && error.constraint === "pw_runs_bytes";
  throw isTooLarge ? tooLarge() : error;
}

const belonging = (rows: readonly Row[], { number }: Row): readonly Row[] => rows.filter(({ run }) => run === number);

const bodyOf = (body: unknown): Buffer | null => (typeof body === "string" ? Buffer.from(body, "base64") : null);

const checkpointOf = async ({ path, output, body }: Row): Promise<Checkpoint> => ({
  path: String(path),
  output: await textOf(output, bodyOf(body)),
});

async function claimed(run: Row, outputs: readonly Row[], waits: readonly Row[]): Promise<ClaimedRun> {
  const now = Number(run.now);
  return {
    id: String(run.id),
    config: String(run.config),
    interface: String(run.interface),
    bundle: String(run.bundle),
    plan: String(run.plan),
    input: await textOf(run.input, bodyOf(run.body)),
    seed: String(run.seed),
    epoch: Number(run.epoch),
    checkpoints: await Promise.all(outputs.map(checkpointOf)),
    waits: waits.map((wait) => waitOf(wait, now)),
    age: now - Number(run.created),
  };
}
