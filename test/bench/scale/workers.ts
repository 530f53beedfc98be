import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Load, socketLoad } from "../load.ts";
import { onProcessor, processors } from "../pinning.ts";
import { cpuOf, type Server, startServer } from "../server.ts";
import { median } from "../statistics.ts";
import { systemCommands, upstreamCommand } from "../systems.ts";
import { figure, table } from "../table.ts";
import { type Workload, workloads } from "../workloads.ts";
import { hasProgram, wrkLoad } from "../wrk.ts";

// The cost of a second worker: the processor time of a request, of all processes together, and how evenly they share it. Both services
// run on one processor, under more load than it can take, and the load on the other. With a processor for each worker there would be none
// for the load; and a worker that waits for load takes more time for a request than a busy one.

/** The measurement of a service with some workers. */
export interface WorkersReport {
  readonly workload: string;
  readonly workers: number;
  /** Microseconds of processor time a request, of all processes together. */
  readonly cpu: number;
  /** The share of the busiest process in that time. */
  readonly share: number;
  /** How many requests so many processors can answer, in proportion to one worker on one. */
  readonly capacity: number;
  /** Requests per second on that one processor. */
  readonly rps: number;
}

/** The capacity of two workers, in proportion to that of one, at least. */
const goal = 1.8;

const rounds = 5;
const connections = 64;

/** Serves with one worker and with two, in turns. */
export async function benchWorkers(seconds: number): Promise<readonly WorkersReport[]> {
  const folder = mkdtempSync(join(tmpdir(), "pipewright-workers-"));
  const servers: Server[] = [];
  let upstream: Server | undefined;
  const { server: processor, client } = processors();
  try {
    upstream = await startServer("upstream", upstreamCommand, client);
    const surroundings = { database: "postgres://127.0.0.1:1/none", upstream: upstream.url.origin };
    const { pipewright: command } = await systemCommands(folder, surroundings);
    const load = hasProgram("wrk", "--version") ? wrkLoad(folder) : socketLoad;
    for (const count of [1, 2]) {
      const args = [...command.args, "--workers", String(count)];
      servers.push(await startServer(`${count} workers`, { ...command, args }, processor));
    }
    const reports: WorkersReport[] = [];
    await onProcessor(client, async () => {
      for (const workload of [workloads.w1, workloads.w4]) reports.push(...(await underLoad(servers, workload, load, seconds)));
    });
    return reports;
  } finally {
    await Promise.all([upstream, ...servers].map((server) => server?.stop()));
    rmSync(folder, { recursive: true, force: true });
  }
}

async function underLoad(servers: readonly Server[], workload: Workload, load: Load, seconds: number): Promise<readonly WorkersReport[]> {
  const all = servers.map((): { readonly cpu: number; readonly share: number; readonly rps: number }[] => []);
  for (let round = 0; round <= rounds; round++) {
    for (const [i, server] of servers.entries()) {
      const before = processesOf(server.pid);
      const { requests, seconds: took } = await load(server.url, workload, connections, seconds);
      const used = [...processesOf(server.pid)].map(([pid, cpu]) => cpu - (before.get(pid) ?? 0));
      const total = used.reduce((sum, each) => sum + each, 0);
      // The first round warms up.
      if (round > 0) all[i]?.push({ cpu: total / requests, share: Math.max(...used) / total, rps: requests / took });
    }
  }
  const [one] = all.map((each) => median(each.map(({ cpu, share }) => cpu * share)));
  return all.map((each, i) => {
    const middle = (of: (round: (typeof each)[number]) => number): number => median(each.map(of));
    const busiest = middle(({ cpu, share }) => cpu * share);
    return {
      workload: workload.title,
      workers: i + 1,
      cpu: middle(({ cpu }) => cpu),
      share: middle(({ share }) => share),
      capacity: (one ?? Number.NaN) / busiest,
      rps: middle(({ rps }) => rps),
    };
  });
}

/** Microseconds of processor time that a process and its children have used, for each of them. */
function processesOf(pid: number): ReadonlyMap<number, number> {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number);
  return new Map([[pid, cpuOf(pid)], ...children.flatMap((child) => [...processesOf(child)])]);
}

export function workersTable(reports: readonly WorkersReport[]): string {
  const rows = reports.map(({ workload, workers, cpu, share, capacity, rps }) => [
    `${workload}, --workers ${workers}`,
    figure(cpu),
    figure(share),
    figure(capacity),
    workers === 2 ? `${goal} ${capacity >= goal ? "met" : "MISSED"}` : "",
    rps.toFixed(0),
  ]);
  return table(["workers", "CPU us/request", "share of the busiest", "capacity", "goal", "requests/s"], rows);
}
