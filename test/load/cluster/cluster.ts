import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { chanceOf } from "../../runtime/durable/simulated-world.ts";
import { Callers } from "./callers.ts";
import type { ClusterAccount, ClusterOptions, Fault, NodeFault } from "./options.ts";
import { OwnPostgres, postgresPrograms } from "./own-postgres.ts";
import { type ServingNode, startNode, type Upstream, upstream, writeModule } from "./service.ts";
import { steps } from "./steps.ts";

/** Milliseconds for which a node is stopped: longer than its lease of 15 seconds. */
const stopMs = 20_000;

/** Milliseconds that what was accepted may take when no more faults happen. */
const mostMs = 120_000;

/** The runs that the node of that name holds, with their epochs. */
const heldBy = `SELECT r.id, r.epoch FROM pw_runs r JOIN pw_nodes n ON r.node = n.node
  JOIN pg_locks l ON l.locktype = 'advisory' AND ((l.classid::bigint << 32) | l.objid::bigint) = n.session::bigint
  JOIN pg_stat_activity a ON a.pid = l.pid WHERE a.application_name = $1 AND r.ended IS NULL`;

interface Held {
  readonly id: string;
  readonly epoch: string;
}

/** Nodes that share a database, callers, and faults by the seed. `say` is told what happens. */
export async function runCluster(options: ClusterOptions, say: (line: string) => void): Promise<ClusterAccount> {
  const name = `pipewright_cluster_${process.pid}_${options.seed}`;
  const own = options.faults.includes("crash") ? await ownPostgres() : undefined;
  const server = own?.url ?? options.server;
  const admin = new pg.Client({ connectionString: server });
  // A crash takes this connection, too.
  admin.on("error", () => undefined);
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  const folder = mkdtempSync(join(tmpdir(), "pipewright-cluster-"));
  const effects = await upstream();
  const database = new URL(server);
  database.pathname = `/${name}`;
  const parts = { database: database.href, module: await writeModule(folder), upstream: effects, own };
  const cluster = new Cluster(options, parts, say);
  try {
    return await cluster.run();
  } finally {
    await cluster.close();
    await effects.close();
    rmSync(folder, { recursive: true, force: true });
    if (own === undefined) await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end().catch(() => undefined);
    await own?.close();
  }
}

async function ownPostgres(): Promise<OwnPostgres> {
  const programs = postgresPrograms();
  if (programs === undefined) throw new Error("the fault 'crash' needs initdb and postgres: install a PostgreSQL server");
  return await OwnPostgres.start(programs);
}

/** The surroundings of the nodes. */
interface Parts {
  readonly database: string;
  readonly module: string;
  readonly upstream: Upstream;
  /** The server of the database, where it may crash. */
  readonly own: OwnPostgres | undefined;
}

class Cluster {
  readonly #options: ClusterOptions;
  readonly #parts: Parts;
  readonly #say: (line: string) => void;
  readonly #chance: () => number;
  readonly #pool: pg.Pool;
  readonly #nodes: (ServingNode | undefined)[] = [];
  readonly #callers: Callers;
  readonly #watches: Promise<void>[] = [];
  readonly #faults: Record<Fault, number> = { kill: 0, term: 0, stop: 0, crash: 0 };
  readonly #takeovers: Record<NodeFault, number[]> = { kill: [], term: [], stop: [] };
  /** Nodes that have ended by themselves. */
  readonly #lost: string[] = [];
  #names = 0;
  #isClosed = false;

  constructor(options: ClusterOptions, parts: Parts, say: (line: string) => void) {
    this.#options = options;
    this.#parts = parts;
    this.#say = say;
    this.#chance = chanceOf(options.seed);
    const { runs, leastFaults } = options;
    const isEnough = (accepted: number): boolean => accepted >= runs && sum(Object.values(this.#faults)) >= leastFaults;
    this.#callers = new Callers(isEnough, () => this.#nodes[Math.floor(this.#chance() * this.#nodes.length)]);
    this.#pool = new pg.Pool({ connectionString: parts.database, max: 4 });
    this.#pool.on("error", () => undefined);
  }

  async run(): Promise<ClusterAccount> {
    const { nodes, runs, callers } = this.#options;
    this.#say(`starting ${nodes} nodes`);
    // One after the other makes the tables.
    for (let at = 0; at < nodes; at++) this.#nodes[at] = await this.#start();
    const began = performance.now();
    const progress = setInterval(() => this.#say(`${this.#callers.accepted.size} of ${runs} runs accepted, ${this.#told()}`), 2_000);
    const striking = this.#strike();
    await this.#callers.ask(callers);
    await striking;
    clearInterval(progress);
    this.#say("no more faults: waiting for what was accepted");
    const problems = [...this.#lost, ...(await this.#finished())];
    await Promise.all(this.#watches);
    const seconds = (performance.now() - began) / 1_000;
    const { repeats, effects } = this.#repeats(problems);
    const takeovers = Object.fromEntries(
      Object.entries(this.#takeovers).map(([fault, times]) => [fault, times.toSorted((a, b) => a - b)]),
    ) as Record<NodeFault, number[]>;
    const { accepted: runsOf, unanswered, refused, slowestRefusal } = this.#callers;
    const accepted = runsOf.size;
    const finishedOnce = accepted - problems.filter((problem) => problem.includes(" is ")).length;
    const answers = { accepted, unanswered, refused, slowestRefusal, returns: this.#callers.returns.toSorted((a, b) => a - b) };
    return { ...answers, finishedOnce, effects, repeats, faults: this.#faults, takeovers, seconds, problems };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#callers.isAsking = false;
    for (const node of this.#nodes) if (node !== undefined) await end(node, "SIGKILL");
    await this.#pool.end();
  }

  async #start(): Promise<ServingNode> {
    const { module, database, upstream: service } = this.#parts;
    const node = await startNode(`node-${++this.#names}`, module, database, service.url);
    node.child.once("exit", (code) => {
      if (this.#nodes.includes(node) && !this.#isClosed) this.#lost.push(`${node.name} has ended with ${code} by itself`);
    });
    return node;
  }

  async #crash(): Promise<void> {
    this.#faults.crash += 1;
    await this.#parts.own?.crash(this.#options.downMs);
    this.#callers.databaseIsBack();
  }

  /** Lets faults happen, one after the other, until nobody asks any more. */
  async #strike(): Promise<void> {
    const { faults, faultEveryMs } = this.#options;
    while (faults.length > 0) {
      await sleep(faultEveryMs * (0.5 + this.#chance()));
      if (!this.#callers.isAsking) return;
      const at = Math.floor(this.#chance() * this.#nodes.length);
      const fault = faults[Math.floor(this.#chance() * faults.length)] ?? "kill";
      const node = this.#nodes[at];
      if (fault === "crash") await this.#crash();
      else if (node !== undefined) await this.#hit(at, node, fault);
    }
  }

  async #hit(at: number, node: ServingNode, fault: NodeFault): Promise<void> {
    this.#faults[fault] += 1;
    if (fault === "stop") {
      this.#nodes[at] = undefined;
      node.child.kill("SIGSTOP");
      const { rows } = await this.#pool.query<Held>(heldBy, [node.name]);
      this.#watch(rows, fault);
      await sleep(stopMs);
      node.child.kill("SIGCONT");
      this.#nodes[at] = node;
      return;
    }
    this.#nodes[at] = undefined;
    if (fault === "term") {
      const { rows } = await this.#pool.query<Held>(heldBy, [node.name]);
      this.#watch(rows, fault);
      await end(node, "SIGTERM");
    } else {
      // A stopped process holds what it holds, so that it is known exactly.
      node.child.kill("SIGSTOP");
      const { rows } = await this.#pool.query<Held>(heldBy, [node.name]);
      const ended = end(node, "SIGKILL");
      this.#watch(rows, fault);
      await ended;
    }
    if (!this.#isClosed) this.#nodes[at] = await this.#start();
  }

  /** Notes when each of these runs has another holder, or is over. */
  #watch(held: readonly Held[], fault: NodeFault): void {
    const began = performance.now();
    const open = new Map(held.map(({ id, epoch }) => [id, Number(epoch)]));
    const look = async (): Promise<void> => {
      while (open.size > 0 && !this.#isClosed && performance.now() - began < 60_000) {
        const { rows } = await this.#pool.query<{ id: string; epoch: string; over: boolean }>(
          "SELECT id, epoch, ended IS NOT NULL AS over FROM pw_runs WHERE id = ANY ($1)",
          [[...open.keys()]],
        );
        for (const { id, epoch, over } of rows) {
          if (Number(epoch) > (open.get(id) ?? 0)) this.#takeovers[fault].push(Math.round(performance.now() - began));
          else if (!over) continue;
          open.delete(id);
        }
        await sleep(10);
      }
    };
    this.#watches.push(look().catch(() => undefined));
  }

  /** Waits until all that was accepted is over; gives what is not as it should be. */
  async #finished(): Promise<string[]> {
    const ids = [...this.#callers.accepted.keys()];
    const until = performance.now() + mostMs;
    for (;;) {
      const { rows } = await this.#pool.query<{ id: string; status: string }>("SELECT id, status FROM pw_runs WHERE id = ANY ($1)", [ids]);
      const states = new Map(rows.map(({ id, status }) => [id, status]));
      const open = ids.filter((id) => states.get(id) !== "done");
      if (open.length === 0) return [];
      if (performance.now() > until) return open.map((id) => `run ${id} is ${states.get(id) ?? "lost"}`);
      this.#say(`${ids.length - open.length} of ${ids.length} runs finished`);
      await sleep(500);
    }
  }

  #repeats(problems: string[]): { readonly effects: number; readonly repeats: number } {
    const heard = this.#parts.upstream.effects;
    let [effects, repeats] = [0, 0];
    for (const order of this.#callers.accepted.values())
      for (const step of steps) {
        const keys = heard.get(`${order} ${step}`) ?? [];
        effects += keys.length;
        repeats += Math.max(0, keys.length - 1);
        if (keys.length === 0) problems.push(`${step} of order ${order} has not happened`);
        if (new Set(keys).size > 1) problems.push(`${step} of order ${order} came under ${new Set(keys).size} keys`);
      }
    return { effects, repeats };
  }

  #told(): string {
    const { kill, term, stop, crash } = this.#faults;
    return `${kill} killed, ${term} ended, ${stop} stopped, ${crash} crashes of the database`;
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

async function end({ child }: ServingNode, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill(signal);
  // A process that is stopped hears no other signal.
  if (signal !== "SIGKILL") child.kill("SIGCONT");
  await exit;
}
