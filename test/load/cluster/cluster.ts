import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { chanceOf } from "../../runtime/durable/simulated-world.ts";
import { Callers } from "./callers.ts";
import { type ClusterAccount, type ClusterOptions, ends, type Fault, type NodeFault } from "./options.ts";
import { type ServingNode, startNode, type Version } from "./service.ts";
import { steps } from "./steps.ts";
import { type Surroundings, surroundingsOf } from "./surroundings.ts";

/** Milliseconds for which a node is stopped or cut off: longer than its lease of 15 seconds. */
const awayMs = 20_000;

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
  const around = await surroundingsOf(options);
  const cluster = new Cluster(options, around, say);
  try {
    return await cluster.run();
  } finally {
    await cluster.close();
    await around.close();
  }
}

class Cluster {
  readonly #options: ClusterOptions;
  readonly #around: Surroundings;
  readonly #say: (line: string) => void;
  readonly #chance: () => number;
  readonly #pool: pg.Pool;
  readonly #nodes: (ServingNode | undefined)[] = [];
  readonly #callers: Callers;
  readonly #watches: Promise<void>[] = [];
  readonly #faults: Record<Fault, number> = { kill: 0, term: 0, stop: 0, deploy: 0, cut: 0, crash: 0, failover: 0 };
  readonly #takeovers: Record<NodeFault, number[]> = { kill: [], term: [], stop: [], deploy: [], cut: [] };
  readonly #drains: number[] = [];
  /** Sentences about nodes that have ended by themselves, or in another way than they should. */
  readonly #lost: string[] = [];
  /** The version with which the next node starts. */
  #version: Version = "old";
  #names = 0;
  #isClosed = false;

  constructor(options: ClusterOptions, around: Surroundings, say: (line: string) => void) {
    this.#options = options;
    this.#around = around;
    this.#say = say;
    this.#chance = chanceOf(options.seed);
    const { runs, leastFaults } = options;
    const isEnough = (accepted: number): boolean => accepted >= runs && sum(Object.values(this.#faults)) >= leastFaults;
    this.#callers = new Callers(isEnough, () => this.#nodes[Math.floor(this.#chance() * this.#nodes.length)]);
    this.#pool = new pg.Pool({ connectionString: around.database, max: 4 });
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
    const unfinished = await this.#finished();
    await Promise.all(this.#watches);
    const problems = [...this.#lost, ...this.#callers.problems(), ...unfinished];
    const seconds = (performance.now() - began) / 1_000;
    const { repeats, effects } = this.#repeats(problems);
    const takeovers = Object.fromEntries(
      Object.entries(this.#takeovers).map(([fault, times]) => [fault, times.toSorted((a, b) => a - b)]),
    ) as Record<NodeFault, number[]>;
    const drains = this.#drains.toSorted((a, b) => a - b);
    const late = lateEnds(drains, takeovers);
    const { accepted: runsOf, unanswered, refused, slowestRefusal } = this.#callers;
    const accepted = runsOf.size;
    const finishedOnce = accepted - problems.filter((problem) => problem.includes(" is ")).length;
    const answers = {
      accepted,
      unanswered,
      refused: sum([...refused.values()]),
      slowestRefusal,
      returns: this.#callers.returns.toSorted((a, b) => a - b),
    };
    return { ...answers, finishedOnce, effects, repeats, faults: this.#faults, takeovers, drains, seconds, problems, late };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#callers.isAsking = false;
    for (const node of this.#nodes) if (node !== undefined) await end(node, "SIGKILL");
    await this.#pool.end();
  }

  async #start(): Promise<ServingNode> {
    const { modules, database, upstream, network } = this.#around;
    const parts = { module: modules.get(this.#version) ?? "", database, upstreamUrl: upstream.url };
    const place = network?.join();
    const node = await startNode(`node-${++this.#names}`, place === undefined ? parts : { ...parts, place });
    node.child.once("exit", (code) => {
      place?.leave();
      if (this.#nodes.includes(node) && !this.#isClosed) this.#lost.push(`${node.name} has ended with ${code} by itself`);
    });
    return node;
  }

  async #crash(): Promise<void> {
    this.#faults.crash += 1;
    await this.#around.postgres?.crash(this.#options.downMs);
    this.#callers.databaseIsBack();
  }

  async #failover(): Promise<void> {
    this.#faults.failover += 1;
    await this.#around.pair?.failover();
    this.#callers.databaseIsBack();
    await this.#around.pair?.repair();
  }

  /** Makes faults happen, one after the other, until the callers stop. */
  async #strike(): Promise<void> {
    const { faults, faultEveryMs } = this.#options;
    while (faults.length > 0) {
      await sleep(faultEveryMs * (0.5 + this.#chance()));
      if (!this.#callers.isAsking) return;
      const at = Math.floor(this.#chance() * this.#nodes.length);
      const fault = faults[Math.floor(this.#chance() * faults.length)] ?? "kill";
      const node = this.#nodes[at];
      if (fault === "crash") await this.#crash();
      else if (fault === "failover") await this.#failover();
      else if (node !== undefined) await this.#hit(at, node, fault);
    }
  }

  async #hit(at: number, node: ServingNode, fault: NodeFault): Promise<void> {
    this.#faults[fault] += 1;
    // Callers ask the others, as a balancer would let them.
    this.#nodes[at] = undefined;
    await this.#effectsOf(fault, node);
    if (fault === "stop" || fault === "cut") this.#nodes[at] = node;
    else if (!this.#isClosed) this.#nodes[at] = await this.#start();
  }

  /** Does to a node what the fault says; resolves when the node is there again, or has ended. */
  async #effectsOf(fault: NodeFault, node: ServingNode): Promise<void> {
    const { child, name, place } = node;
    const held = async (): Promise<readonly Held[]> => (await this.#pool.query<Held>(heldBy, [name])).rows;
    switch (fault) {
      case "stop":
        child.kill("SIGSTOP");
        this.#watch(await held(), fault);
        await sleep(awayMs);
        child.kill("SIGCONT");
        return;
      case "cut":
        place?.cut();
        this.#watch(await held(), fault);
        await sleep(awayMs);
        place?.mend();
        return;
      case "kill": {
        // A stopped process holds what it holds, so that it is known exactly.
        child.kill("SIGSTOP");
        const runs = await held();
        const ended = end(node, "SIGKILL");
        this.#watch(runs, fault);
        await ended;
        return;
      }
      case "deploy":
      case "term":
        if (fault === "deploy") this.#version = this.#version === "old" ? "new" : "old";
        this.#watch(await held(), fault);
        await this.#drain(node);
    }
  }

  async #drain(node: ServingNode): Promise<void> {
    const began = performance.now();
    await end(node, "SIGTERM");
    this.#drains.push(Math.round(performance.now() - began));
    const { exitCode, signalCode } = node.child;
    if (exitCode !== 0) this.#lost.push(`${node.name} has ended with ${exitCode ?? signalCode} after SIGTERM`);
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
    const heard = this.#around.upstream.effects;
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
    const happened = Object.entries(this.#faults).filter(([, times]) => times > 0);
    return happened.length === 0 ? "no fault yet" : happened.map(([fault, times]) => `${times} x ${fault}`).join(", ");
  }
}

/** Sentences about ends in good order that took too long. */
export function lateEnds(drains: readonly number[], takeovers: ClusterAccount["takeovers"]): readonly string[] {
  const late = drains.filter((ms) => ms > ends.drainMs).map((ms) => `a node took ${ms} ms to end after SIGTERM: at most ${ends.drainMs}`);
  const medians = (["term", "deploy"] as const).flatMap((fault) => {
    const times = takeovers[fault];
    const half = times[Math.floor(times.length / 2)] ?? 0;
    return half > ends.takeoverMs ? [`half of the runs were taken over ${half} ms after ${fault}: at most ${ends.takeoverMs}`] : [];
  });
  return [...late, ...medians];
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
