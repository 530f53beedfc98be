import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Baseline, guarded, isWorse, most, type Ratios } from "./baseline.ts";
import { benchHttp } from "./http.ts";
import { canCount, instructionsOf } from "./instructions.ts";
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

/** The figure that is compared: counts of instructions where valgrind is, else processor time. */
export type Measure = keyof Baseline;

export const shortMeasure = (): Measure => (canCount() ? "instructions" : "cpu");

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

async function byProcessorTime(): Promise<ShortReport> {
  const report: Partial<Record<keyof Ratios, Costs>> = {};
  await benchHttp([...guarded], { rounds: 7, duration: 1, connections: 32 }, (name, { pipewright, fastify }) => {
    const [ours, theirs] = [pipewright, fastify].map((rounds) => rounds.map(({ cpu }) => cpu));
    const known = guarded.find((each) => each === name);
    if (known === undefined || ours === undefined || theirs === undefined) return;
    report[known] = costs(median(ours), median(theirs), median(ratios(ours, theirs)));
  });
  return whole(report);
}

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
