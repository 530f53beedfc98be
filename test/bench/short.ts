import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Baseline, guarded, isWorse, most, type Ratios } from "./baseline.ts";
import { canCount, instructionsOf } from "./instructions.ts";
import { countedLoad, socketLoad } from "./load.ts";
import { onProcessor, processors } from "./pinning.ts";
import { type Server, startServer } from "./server.ts";
import { median, ratios } from "./statistics.ts";
import { systemCommands, upstreamCommand } from "./systems.ts";
import { figure, table } from "./table.ts";
import { type Workload, workloads } from "./workloads.ts";

// `npm run bench -- --short`: whether a request costs more than it did, in proportion to the same request to Fastify.

/** The costs of a request to ours and to Fastify, for each workload that is guarded. */
export type ShortReport = Readonly<Record<keyof Ratios, Costs>>;

interface Costs {
  readonly ours: number;
  readonly fastify: number;
  readonly ratio: number;
}

const costs = (ours = Number.NaN, fastify = Number.NaN, ratio = ours / fastify): Costs => ({ ours, fastify, ratio });

/** The figure that is compared. */
export type Measure = keyof Baseline;

/**
 * The figure is processor time, unless the environment asks for instructions: a count takes minutes, and differs by a tenth from run to
 * run.
 */
export const shortMeasure = (): Measure => (process.env.COUNT === "1" && canCount() ? "instructions" : "cpu");

/**
 * Measures once, and twice more where something seems dearer than before: then the median of each counts. A new baseline, where there is
 * nothing before, is always the median of three.
 */
export async function benchShort(measure: Measure, before: Ratios | undefined): Promise<ShortReport> {
  const once = measure === "instructions" ? byInstructions : byProcessorTime;
  const first = await once();
  if (before !== undefined && worse(first, before).length === 0) return first;
  return medianOf([first, await once(), await once()]);
}

/** The middle one of several reports, for each workload by its ratio. */
export function medianOf(reports: readonly ShortReport[]): ShortReport {
  const middle = (name: keyof Ratios): Costs => {
    const all = reports.map((report) => report[name]).toSorted((a, b) => a.ratio - b.ratio);
    return all[Math.floor(all.length / 2)] ?? costs();
  };
  return { w1: middle("w1"), w2: middle("w2"), w4: middle("w4") };
}

async function byInstructions(): Promise<ShortReport> {
  const folder = mkdtempSync(join(tmpdir(), "pipewright-short-"));
  let upstream: Server | undefined;
  try {
    upstream = await startServer("upstream", upstreamCommand, undefined);
    const commands = await systemCommands(folder, { database: "postgres://127.0.0.1:1/none", upstream: upstream.url.origin });
    const chosen = guarded.map((name): Workload => workloads[name]);
    // The two run side by side: a count is the same on a busy machine.
    const [ours, fastify] = await Promise.all([instructionsOf(commands.pipewright, chosen), instructionsOf(commands.fastify, chosen)]);
    const report: Partial<Record<keyof Ratios, Costs>> = {};
    for (const [i, name] of guarded.entries()) report[name] = costs(ours[i], fastify[i]);
    return whole(report);
  } finally {
    await upstream?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Starts of both servers: the code that V8 makes of one and the same source differs from start to start. */
const starts = 3;

/** Turns of each of the two in one start, and seconds of a turn: short, so that both meet the same moments of a busy machine. */
const turns = 15;
const seconds = 0.25;
const connections = 32;

/** Processor time of both servers, on one processor in short turns: the median of all turns of all starts. */
async function byProcessorTime(): Promise<ShortReport> {
  const folder = mkdtempSync(join(tmpdir(), "pipewright-short-"));
  const { server: processor, client } = processors();
  const all = new Map<keyof Ratios, { readonly ours: number[]; readonly theirs: number[] }>(
    guarded.map((name) => [name, { ours: [], theirs: [] }]),
  );
  let upstream: Server | undefined;
  try {
    upstream = await startServer("upstream", upstreamCommand, client);
    const commands = await systemCommands(folder, { database: "postgres://127.0.0.1:1/none", upstream: upstream.url.origin });
    for (let start = 0; start < starts; start++) {
      const pair = [
        await startServer("pipewright", commands.pipewright, processor),
        await startServer("fastify", commands.fastify, processor),
      ] as const;
      try {
        await onProcessor(client, async () => {
          for (const [name, { ours, theirs }] of all) await inTurns(pair, workloads[name], ours, theirs);
        });
      } finally {
        await Promise.all(pair.map((server) => server.stop()));
      }
    }
  } finally {
    await upstream?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  return whole(
    Object.fromEntries(
      [...all].map(([name, { ours, theirs }]) => [name, costs(median(ours), median(theirs), median(ratios(ours, theirs)))]),
    ),
  );
}

async function inTurns([ours, theirs]: readonly [Server, Server], workload: Workload, our: number[], their: number[]): Promise<void> {
  const turn = async (server: Server): Promise<number> => {
    const before = server.cpu();
    const { requests } = await socketLoad(server.url, workload, connections, seconds);
    return (server.cpu() - before) / requests;
  };
  for (const server of [ours, theirs]) await countedLoad(server.url, workload, connections, warm);
  for (let i = 0; i < turns; i++) {
    our.push(await turn(ours));
    their.push(await turn(theirs));
  }
}

/** Requests after which V8 has compiled what it will. */
const warm = 5_000;

function whole({ w1, w2, w4 }: Partial<Record<keyof Ratios, Costs>>): ShortReport {
  if (w1 === undefined || w2 === undefined || w4 === undefined) throw new Error("a workload was not measured");
  return { w1, w2, w4 };
}

/** The workloads that have become dearer than the baseline allows. */
export const worse = (report: ShortReport, before: Ratios): readonly (keyof Ratios)[] =>
  guarded.filter((name) => isWorse(report[name].ratio, before[name]));

export function shortTable(report: ShortReport, measure: Measure, before: Ratios): string {
  const unit = measure === "instructions" ? "instructions" : "CPU us";
  const rows = guarded.map((name) => {
    const { ours, fastify, ratio } = report[name];
    const verdict = isWorse(ratio, before[name]) ? "WORSE" : "ok";
    return [`${name} ${workloads[name].title}`, figure(ours), figure(fastify), ratio.toFixed(3), before[name].toFixed(3), verdict];
  });
  return table([`${unit} of a request`, "pipewright", "fastify", "ratio", "baseline", `at most ${most} of it`], rows);
}
