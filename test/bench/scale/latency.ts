import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { verdict } from "../goals.ts";
import { onProcessor, processors } from "../pinning.ts";
import { type Server, startServer } from "../server.ts";
import { median, quantile, ratios } from "../statistics.ts";
import { systemCommands, upstreamCommand } from "../systems.ts";
import { figure, table } from "../table.ts";
import { inTurn } from "../turns.ts";
import { type Workload, workloads } from "../workloads.ts";
import { hasProgram, wrkLoad } from "../wrk.ts";

// How long clients wait for their answers where the servers have time left: as many requests come as take 70 % of the processor time of
// the Fastify application. Requests come from many connections that pause at random, because one that asks again at once would ask less
// of a slow server than of a fast one.

const systems = ["pipewright", "fastify", "node:http"] as const;
type System = (typeof systems)[number];

/** One round of a system: requests per second, its share of a processor, and latencies in milliseconds. */
interface Round {
  readonly rps: number;
  readonly busy: number;
  readonly p50: number;
  readonly p99: number;
}

export interface LatencyReport {
  readonly workload: string;
  readonly rounds: Readonly<Record<System, readonly Round[]>>;
}

/** The share of a processor that the load takes from Fastify. */
const share = 0.7;

/** The 99th percentile, at most: of that of Fastify in the same round. */
const goal = 1;

const compared: readonly Workload[] = [workloads.w1, workloads.w4];
const connections = 256;
const rounds = 12;
const seconds = 3;

/** Loads the systems in turns. Undefined, with a line on stderr, without wrk. */
export async function benchLatency(): Promise<readonly LatencyReport[] | undefined> {
  if (!hasProgram("wrk", "-v")) {
    console.error("latency is skipped: there is no wrk, and a client of Node would wait for itself");
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), "pipewright-latency-"));
  const { server: processor, client } = processors();
  const servers: Server<System>[] = [];
  const upstream = await startServer("upstream", upstreamCommand, client);
  try {
    const commands = await systemCommands(folder, { database: "postgres://127.0.0.1:1/none", upstream: upstream.url.origin });
    for (const name of systems) servers.push(await startServer(name, commands[name], processor));
    const reports: LatencyReport[] = [];
    await onProcessor(client, async () => {
      for (const workload of compared) reports.push(await inTurns(servers, workload, folder));
    });
    return reports;
  } finally {
    await Promise.all([upstream, ...servers].map((server) => server.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function inTurns(servers: readonly Server<System>[], workload: Workload, folder: string): Promise<LatencyReport> {
  const all: Record<System, Round[]> = { pipewright: [], fastify: [], "node:http": [] };
  const pause = await pauseFor(servers, workload, folder);
  for (let i = 0; i < rounds; i++) {
    for (const server of inTurn(servers, i)) all[server.name].push(await underLoad(server, workload, folder, pause));
  }
  return { workload: workload.title, rounds: all };
}

/** The mean pause of a connection, in milliseconds, by the processor time that Fastify takes for a request. It warms all of them up. */
async function pauseFor(servers: readonly Server<System>[], workload: Workload, folder: string): Promise<number> {
  let cpu = Number.NaN;
  for (const server of servers) {
    const { busy, rps } = await underLoad(server, workload, folder, 0);
    if (server.name === "fastify") cpu = busy / rps;
  }
  return (connections * cpu * 1000) / share;
}

async function underLoad(server: Server, workload: Workload, folder: string, pause: number): Promise<Round> {
  const before = server.cpu();
  const { requests, seconds: took, p50, p99 } = await wrkLoad(folder, pause)(server.url, workload, connections, seconds);
  return { rps: requests / took, busy: (server.cpu() - before) / 1e6 / took, p50, p99 };
}

export function latencyTable(reports: readonly LatencyReport[]): string {
  const rows = reports.flatMap(({ workload, rounds }) => systems.map((name) => rowOf(workload, name, rounds)));
  return table([`at ${share} of Fastify`, "requests/s", "busy", "p50 ms", "p99 ms", "p99 to fastify", "goal"], rows);
}

function rowOf(workload: string, name: System, all: LatencyReport["rounds"]): readonly string[] {
  const middle = (of: (round: Round) => number): number => median(all[name].map(of));
  const p99s = (system: System): number[] => all[system].map(({ p99 }) => p99);
  const toFastify = ratios(p99s(name), p99s("fastify"));
  const range = `${figure(median(toFastify))} (${figure(quantile(toFastify, 0.1))}-${figure(quantile(toFastify, 0.9))})`;
  return [
    `${workload}, ${name}`,
    middle(({ rps }) => rps).toFixed(0),
    figure(middle(({ busy }) => busy)),
    figure(middle(({ p50 }) => p50)),
    figure(middle(({ p99 }) => p99)),
    range,
    name === "pipewright" ? verdict(p99s(name), p99s("fastify"), goal) : "",
  ];
}
