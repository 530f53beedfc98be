import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "./database.ts";
import { averaged, geometricMean, goals, mostGuarding, mostOnAverage, verdict } from "./goals.ts";
import { type Load, socketLoad } from "./load.ts";
import type { Options } from "./options.ts";
import { onProcessor, processors } from "./pinning.ts";
import { type Server, startServer } from "./server.ts";
import { differences, median, quantile, ratios } from "./statistics.ts";
import { type Surroundings, type SystemName, systemCommands, systemNames, upstreamCommand } from "./systems.ts";
import { figure, table } from "./table.ts";
import { inTurn } from "./turns.ts";
import { type Workload, type WorkloadName, workloads } from "./workloads.ts";
import { hasProgram, wrkLoad } from "./wrk.ts";

/** The measurement of one round of one system. CPU in microseconds a request, latencies in milliseconds. */
interface Round {
  readonly cpu: number;
  readonly rps: number;
  readonly p50: number;
  readonly p99: number;
}

export type WorkloadReport = Readonly<Record<SystemName, readonly Round[]>>;

/** The settings of the load. */
type LoadOptions = Pick<Options, "rounds" | "duration" | "connections">;

/** Runs the HTTP workloads one after the other. All servers are up, and the load goes to one of them at a time, in turns. */
export async function benchHttp(
  names: readonly WorkloadName[],
  options: LoadOptions,
  found: (name: WorkloadName, report: WorkloadReport) => void,
): Promise<void> {
  const database = names.some((name) => needsDatabase(workloads[name])) ? await openDatabase() : undefined;
  const folder = mkdtempSync(join(tmpdir(), "pipewright-bench-"));
  const { server, client } = processors();
  let servers: readonly Server[] = [];
  try {
    const upstream = await startServer("upstream", upstreamCommand, client);
    servers = [upstream];
    // Without a database its workload is left out, but the systems need an address to start.
    const address = database?.address ?? "postgres://127.0.0.1:1/none";
    const systems = await startAll(folder, { database: address, upstream: upstream.url.origin }, server);
    servers = [upstream, ...systems];
    // The turns of wrk are whole seconds.
    const load = options.duration >= 1 && hasProgram("wrk", "-v") ? wrkLoad(folder) : socketLoad;
    for (const name of names) {
      const workload: Workload = workloads[name];
      if (needsDatabase(workload) && database === undefined) continue;
      found(name, await onProcessor(client, () => benchWorkload(workload, systems, load, options)));
    }
  } finally {
    await Promise.all(servers.map((each) => each.stop()));
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function startAll(folder: string, surroundings: Surroundings, processor: number | undefined): Promise<readonly Server<SystemName>[]> {
  const commands = await systemCommands(folder, surroundings);
  return Promise.all(systemNames.map((name) => startServer(name, commands[name], processor)));
}

async function benchWorkload(
  workload: Workload,
  servers: readonly Server<SystemName>[],
  load: Load,
  options: LoadOptions,
): Promise<WorkloadReport> {
  const rounds: Record<SystemName, Round[]> = { pipewright: [], guarded: [], interpreted: [], fastify: [], "node:http": [] };
  for (const server of servers) await checkAnswer(server, workload);
  // The first round warms the servers up, and does not count.
  for (let round = 0; round <= options.rounds; round++) {
    for (const server of inTurn(servers, round)) {
      const measured = await measure(server, workload, load, options);
      if (round > 0) rounds[server.name].push(measured);
    }
  }
  return rounds;
}

async function measure(server: Server, workload: Workload, load: Load, { connections, duration }: LoadOptions): Promise<Round> {
  const before = server.cpu();
  const { requests, seconds, p50, p99 } = await load(server.url, workload, workload.connections ?? connections, duration);
  return { cpu: (server.cpu() - before) / requests, rps: requests / seconds, p50, p99 };
}

const needsDatabase = (workload: Workload): boolean => workload.needsDatabase === true;

/** Compares the data of an answer: only systems with equal data are compared in time. */
async function checkAnswer({ name, url }: Server, { method, path, headers, body, isRight }: Workload): Promise<void> {
  const response = await fetch(new URL(path, url), { method, headers, body: body ?? null });
  const text = await response.text();
  // A service of pipewright answers with the envelope of spec/language 7.2.
  const value = JSON.parse(text);
  if (response.status !== 200 || !isRight(value?.data?.Reply?.data ?? value))
    throw new Error(`${name} ${path}: ${response.status} ${text}`);
}

/**
 * One line a system: medians over the rounds, and CPU against the two references round by round with the range of the middle 80 %. Goals
 * are those of the compiled service to a reference, and of the interpreter to the compiled service.
 */
export function httpTable(name: WorkloadName, report: WorkloadReport): string {
  const of = (system: SystemName, field: keyof Round): number[] => report[system].map((round) => round[field]);
  const against = (system: SystemName, reference: SystemName): string => {
    const all = ratios(of(system, "cpu"), of(reference, "cpu"));
    return `${figure(median(all))} (${figure(quantile(all, 0.1))}-${figure(quantile(all, 0.9))})`;
  };
  const goal = goals[name];
  const goalOf: Readonly<Record<SystemName, string>> = {
    pipewright: "",
    guarded: `${figure(median(differences(of("guarded", "cpu"), of("pipewright", "cpu"))))} us more than pipewright, <= ${mostGuarding}`,
    interpreted: `of pipewright ${verdict(of("interpreted", "cpu"), of("pipewright", "cpu"), goal.interpreted)}`,
    fastify: `of it ${verdict(of("pipewright", "cpu"), of("fastify", "cpu"), goal.fastify)}`,
    "node:http": `of it ${verdict(of("pipewright", "cpu"), of("node:http", "cpu"), goal["node:http"])}`,
  };
  const rows = systemNames.map((system) => [
    system,
    figure(median(of(system, "cpu"))),
    against(system, "fastify"),
    against(system, "node:http"),
    median(of(system, "rps")).toFixed(0),
    figure(median(of(system, "p50"))),
    figure(median(of(system, "p99"))),
    goalOf[system],
  ]);
  return table(
    [`${name} ${workloads[name].title}`, "CPU us/request", "to fastify", "to node:http", "requests/s", "p50 ms", "p99 ms", "goal"],
    rows,
  );
}

/** The geometric mean of the shares of w1 to w8, where all of them were measured. */
export function averageLine(reports: ReadonlyMap<WorkloadName, WorkloadReport>): string | undefined {
  const shares = averaged.flatMap((name) => {
    const report = reports.get(name);
    const cpu = (system: SystemName): number[] => report?.[system].map((round) => round.cpu) ?? [];
    return report === undefined ? [] : [median(ratios(cpu("pipewright"), cpu("fastify")))];
  });
  if (shares.length < averaged.length) return undefined;
  const mean = geometricMean(shares);
  return `geometric mean of w1 to w8: ${figure(mean)} of Fastify, <= ${mostOnAverage} ${mean <= mostOnAverage ? "ok" : "MISSED"}\n`;
}
