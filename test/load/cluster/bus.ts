import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { chanceOf } from "../../runtime/durable/simulated-world.ts";
import type { BusCommand, BusHeard, BusSaid } from "./bus-words.ts";

// Fault F18: nodes publish to the bus, and the connection by which one of them listens is ended again and again. All nodes must have heard
// all messages afterwards, each of them once, in one order.

export interface BusOptions {
  /** The server of PostgreSQL, in which a database of its own is made, and dropped afterwards. */
  readonly server: string;
  /** Each publishes, and hears all. */
  readonly nodes: number;
  /** Messages that each node offers a second. */
  readonly perSecond: number;
  readonly seconds: number;
  /** Milliseconds between two ends of a connection. */
  readonly killEveryMs: number;
  readonly seed: number;
}

/** The account of the bus: `problems` is empty when every promise was kept. */
export interface BusAccount {
  readonly published: number;
  /** Messages that were published in a second, by all nodes together. */
  readonly perSecond: number;
  /** Looks at the clock at which a publisher found the queue of its node full, and waited. */
  readonly refused: number;
  readonly kills: number;
  readonly nodes: readonly BusHeard[];
  readonly problems: readonly string[];
}

/** Milliseconds that nodes may hear nothing before what is missing counts as lost. */
const mostSilenceMs = 30_000;

export async function runBus(options: BusOptions, say: (line: string) => void): Promise<BusAccount> {
  const name = `pipewright_bus_${process.pid}`;
  const admin = new pg.Client({ connectionString: options.server });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  const database = new URL(options.server);
  database.pathname = `/${name}`;
  const nodes: BusNode[] = [];
  try {
    for (let n = 1; n <= options.nodes; n++) nodes.push(await BusNode.start(database.href, `node-${n}`, say));
    return await measured(nodes, database.href, options, say);
  } finally {
    for (const node of nodes) await node.end();
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end();
  }
}

async function measured(
  nodes: readonly BusNode[],
  database: string,
  { perSecond, seconds, killEveryMs, seed }: BusOptions,
  say: (line: string) => void,
): Promise<BusAccount> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  const chance = chanceOf(seed);
  const began = performance.now();
  let isOver = false;
  let kills = 0;
  const killing = (async () => {
    for (;;) {
      await sleep(killEveryMs);
      if (isOver) return;
      const { source = "" } = nodes[Math.floor(chance() * nodes.length)] ?? {};
      const ended = await client.query("SELECT pg_terminate_backend(pid) AS done FROM pw_bus_nodes WHERE source = $1", [source]);
      // A node that is just about to connect again has no connection that could be ended.
      if (ended.rows[0]?.done === true) kills += 1;
      say(`${Math.round((performance.now() - began) / 1_000)} s, ${kills} connections ended, ${await nodes[0]?.count()} messages heard`);
    }
  })();
  const published = await Promise.all(nodes.map((node) => node.publish(perSecond, seconds)));
  const took = (performance.now() - began) / 1_000;
  isOver = true;
  await killing;
  await client.end();
  const all = published.reduce((sum, { sent }) => sum + sent, 0);
  await allHeard(nodes, all);
  const heard = await Promise.all(nodes.map((node) => node.account()));
  const refused = published.reduce((sum, one) => sum + one.refused, 0);
  return { published: all, perSecond: all / took, refused, kills, nodes: heard, problems: problemsOf(heard, all) };
}

/** Waits until all nodes have heard so many messages, or hear nothing any more. */
async function allHeard(nodes: readonly BusNode[], all: number): Promise<void> {
  let [least, since] = [-1, performance.now()];
  while (least < all && performance.now() - since < mostSilenceMs) {
    const now = Math.min(...(await Promise.all(nodes.map((node) => node.count()))));
    if (now > least) [least, since] = [now, performance.now()];
    await sleep(100);
  }
}

/** The promises that were not kept, as sentences. */
export function problemsOf(nodes: readonly BusHeard[], published: number): string[] {
  const [first] = nodes;
  return nodes.flatMap((node, at) => {
    const name = `node-${at + 1}`;
    const { heard, gaps, repeats, lost } = node;
    const wrong: [boolean, string][] = [
      [heard !== published, `has heard ${heard} of ${published} messages`],
      [gaps > 0, `has missed ${gaps} messages between others`],
      [repeats > 0, `has heard ${repeats} messages again`],
      [lost > 0, `counts ${lost} messages as lost`],
      [node.hash !== first?.hash, `has heard them in another order than node-1, from block ${differs(node, first)} on`],
    ];
    return wrong.flatMap(([isSo, what]) => (isSo ? [`${name} ${what}`] : []));
  });
}

/** The first block of messages that is another one. */
function differs(one: BusHeard, other: BusHeard | undefined): number {
  const at = one.blocks.findIndex((block, i) => block !== other?.blocks[i]);
  return at < 0 ? one.blocks.length : at;
}

/** A process of the bus, and what it answers. */
class BusNode {
  readonly source: string;
  readonly #child: ChildProcess;
  readonly #waiting: ((said: BusSaid) => boolean)[] = [];

  private constructor(child: ChildProcess, source: string, say: (line: string) => void) {
    this.#child = child;
    this.source = source;
    child.on("message", (said: BusSaid) => {
      if ("line" in said) return say(said.line);
      const at = this.#waiting.findIndex((take) => take(said));
      if (at >= 0) this.#waiting.splice(at, 1);
    });
  }

  static async start(database: string, name: string, say: (line: string) => void): Promise<BusNode> {
    const child = fork(fileURLToPath(new URL("bus-node.ts", import.meta.url)), [database, name], { execPath: process.execPath });
    const [said] = (await once(child, "message")) as [BusSaid];
    if (!("source" in said)) throw new Error(`${name} has not joined: ${JSON.stringify(said)}`);
    return new BusNode(child, said.source, say);
  }

  publish(perSecond: number, seconds: number): Promise<{ readonly sent: number; readonly refused: number }> {
    return this.#ask({ publish: perSecond, seconds }, (said) => ("sent" in said ? said : undefined));
  }

  count(): Promise<number> {
    return this.#ask({ count: true }, (said) => ("count" in said ? said.count : undefined));
  }

  account(): Promise<BusHeard> {
    return this.#ask({ account: true }, (said) => ("account" in said ? said.account : undefined));
  }

  async end(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exit = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await exit;
  }

  /** The first answer that fits; rejects when the process ends instead. */
  #ask<Answer>(command: BusCommand, read: (said: BusSaid) => Answer | undefined): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const isGone = (): void => reject(new Error(`the node ${this.source} has ended`));
      this.#child.once("exit", isGone);
      this.#waiting.push((said) => {
        const answer = read(said);
        if (answer === undefined) return false;
        this.#child.off("exit", isGone);
        resolve(answer);
        return true;
      });
      this.#child.send(command);
    });
  }
}
