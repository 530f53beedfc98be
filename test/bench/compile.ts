import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { median } from "./statistics.ts";
import { figure, table } from "./table.ts";

const run = promisify(execFile);

/** Interfaces and the files that they are spread over: twenty in each, as projects have them, and all in one. */
const sizes = [
  [100, 5],
  [500, 25],
  [1000, 50],
  [1000, 1],
] as const;

/** The goal for a full build without type check and executable: milliseconds at start, and for each interface. */
const budget = { start: 250, each: 2 } as const;

const repeats = 5;

const phaseNames = ["load", "begin", "read", "check", "resolve", "plan", "analyse", "print", "link"] as const;

/**
 * The output of compile-once.ts: milliseconds of each phase, processor time of all (without that of esbuild's own process), sizes in bytes.
 */
interface Once {
  readonly phases: Readonly<Record<(typeof phaseNames)[number], number>>;
  readonly cpu: number;
  readonly yaml: number;
  readonly typescript: number;
  readonly bundle: number;
  readonly peak: number;
}

export interface CompileReport extends Once {
  readonly interfaces: number;
  readonly files: number;
}

/** Compiles synthetic projects of growing size, each several times and in a fresh process; medians of each phase. */
export async function benchCompile(): Promise<readonly CompileReport[]> {
  const reports: CompileReport[] = [];
  for (const [interfaces, files] of sizes) {
    const all: Once[] = [];
    for (let i = 0; i < repeats; i++) all.push(await once(interfaces, files));
    const middle = (of: (one: Once) => number): number => median(all.map(of));
    const phases = Object.fromEntries(phaseNames.map((name) => [name, middle((one) => one.phases[name])])) as Once["phases"]; // one entry a name
    const [{ yaml, typescript, bundle } = { yaml: 0, typescript: 0, bundle: 0 }] = all;
    reports.push({ interfaces, files, phases, yaml, typescript, bundle, cpu: middle((one) => one.cpu), peak: middle((one) => one.peak) });
  }
  return reports;
}

async function once(interfaces: number, files: number): Promise<Once> {
  const script = fileURLToPath(new URL("compile-once.ts", import.meta.url));
  const { stdout } = await run(process.execPath, [script, String(interfaces), String(files)]);
  return JSON.parse(stdout);
}

/**
 * Milliseconds a phase; all of them together against the budget. `load` is what Node takes to load our sources: a published build has them
 * in one file.
 */
export function compileTable(reports: readonly CompileReport[]): string {
  const rows = reports.map(({ interfaces, files, phases, cpu, peak }) => {
    const { load, ...work } = phases;
    const total = Object.values(work).reduce((sum, time) => sum + time, 0);
    const allowed = budget.start + budget.each * interfaces;
    return [
      `${interfaces} in ${files} ${files === 1 ? "file" : "files"}`,
      ...phaseNames.map((name) => phases[name].toFixed(0)),
      total.toFixed(0),
      figure(total / allowed),
      figure(total / interfaces),
      cpu.toFixed(0),
      (peak / 2 ** 20).toFixed(0),
    ];
  });
  return table(["compile, ms", ...phaseNames, "work", "of budget", "each", "CPU", "peak MiB"], rows);
}
