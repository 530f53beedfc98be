import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { type ServingNode, started, startNode, upstream, writeModule } from "./service.ts";
import { steps } from "./steps.ts";

// Runs of five calls, by a durable interface and by hand on two queues in PostgreSQL: one process each, one after the other.

export const products = ["pipewright", "graphile-worker", "pg-boss"] as const;
type Product = (typeof products)[number];

export interface Compared {
  readonly product: Product;
  /** Runs whose five calls were made, a second. */
  readonly perSecond: number;
  /** Milliseconds of the processor that the service itself took for a run; that of the database is not in it. */
  readonly cpuMs: number;
}

export interface CompareOptions {
  readonly server: string;
  readonly runs: number;
  readonly callers: number;
  readonly rounds: number;
}

/** Each product once a round, so that what else the machine does concerns all of them; the medians of the rounds. */
export async function compare(options: CompareOptions, say: (line: string) => void): Promise<readonly Compared[]> {
  const all: Compared[] = [];
  for (let round = 1; round <= options.rounds; round++)
    for (const product of products) {
      const one = await measured(product, options);
      say(`round ${round}: ${product} ${Math.round(one.perSecond)} runs a second, ${one.cpuMs.toFixed(2)} ms of the processor a run`);
      all.push(one);
    }
  return products.map((product) => {
    const own = all.filter((one) => one.product === product);
    return { product, perSecond: median(own.map((one) => one.perSecond)), cpuMs: median(own.map((one) => one.cpuMs)) };
  });
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

async function measured(product: Product, { server, runs, callers }: CompareOptions): Promise<Compared> {
  const name = `pipewright_compare_${process.pid}`;
  const admin = new pg.Client({ connectionString: server });
  await admin.connect();
  await admin.query(`CREATE DATABASE ${name}`);
  const folder = mkdtempSync(join(tmpdir(), "pipewright-compare-"));
  const effects = await upstream();
  const database = new URL(server);
  database.pathname = `/${name}`;
  const node = await start(product, folder, database.href, effects.url);
  try {
    // Code that is compiled and connections that are open already: the first runs count for none of them.
    await ask(node, 1, Math.ceil(runs / 10), callers);
    await until(node, () => effects.effects.size >= Math.ceil(runs / 10) * steps.length);
    const [began, cpu, before] = [performance.now(), cpuOf(node), effects.effects.size];
    await ask(node, 1_000_000, runs, callers);
    await until(node, () => effects.effects.size - before >= runs * steps.length);
    return { product, perSecond: (runs * 1_000) / (performance.now() - began), cpuMs: (cpuOf(node) - cpu) / runs };
  } finally {
    if (node.child.exitCode === null) {
      const ended = once(node.child, "exit");
      node.child.kill("SIGKILL");
      await ended;
    }
    await effects.close();
    rmSync(folder, { recursive: true, force: true });
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await admin.end();
  }
}

async function start(product: Product, folder: string, database: string, upstreamUrl: string): Promise<ServingNode> {
  if (product === "pipewright") return startNode(product, { module: await writeModule(folder, "old"), database, upstreamUrl });
  return started(product, [process.execPath, fileURLToPath(new URL("peer.ts", import.meta.url)), product, database, upstreamUrl]);
}

/** Asks for runs, so many at a time, until each is accepted. */
async function ask({ url }: ServingNode, first: number, runs: number, callers: number): Promise<void> {
  let next = first;
  const call = async (): Promise<void> => {
    while (next < first + runs) {
      const body = JSON.stringify({ order: next++ });
      while (!(await isAccepted(`${url}/order`, body))) await sleep(10);
    }
  };
  await Promise.all(Array.from({ length: callers }, call));
}

/** False when the service cannot take the run now, and the caller is to come again. */
async function isAccepted(url: string, body: string): Promise<boolean> {
  const answer = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body });
  await answer.text();
  if (![202, 429, 503].includes(answer.status)) throw new Error(`a run was answered with ${answer.status}`);
  return answer.status === 202;
}

async function until({ name, child }: ServingNode, isDone: () => boolean): Promise<void> {
  while (!isDone()) {
    if (child.exitCode !== null) throw new Error(`${name} has ended with ${child.exitCode}`);
    await sleep(5);
  }
}

/** Milliseconds of the processor that the process has taken, as Linux counts them: in hundredths of a second. */
function cpuOf({ child }: ServingNode): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}
