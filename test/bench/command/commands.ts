import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { nativeTarget } from "../../../compiler/7-link/node.ts";
import { median } from "../statistics.ts";
import { syntheticConfigs } from "../synthetic.ts";
import { figure, table } from "../table.ts";

const repeats = 7;

/** Milliseconds from the start of a command to its end: the best and the median. */
export interface CommandReport {
  readonly command: string;
  readonly best: number;
  readonly wall: number;
  /** The most milliseconds that the command should take; absent when there is no goal for it. */
  readonly goal?: number;
}

/** A command of the package, and its goal. */
interface Timed {
  readonly title: string;
  readonly args: readonly string[];
  readonly goal?: number;
  /** True for a command that takes seconds: it is measured less often. */
  readonly slow?: boolean;
}

/**
 * Runs commands of the package as npm installs it, in turns with a Node that does nothing. Undefined, with a line on stderr, before `npm
 * run build` has made the package: a checkout takes longer, because Node strips the types of each file.
 */
export function benchCommands(): readonly CommandReport[] | undefined {
  const built = fileURLToPath(new URL("../../../dist", import.meta.url));
  if (!existsSync(join(built, "command", "cli.mjs"))) {
    console.error("commands are skipped: npm run build makes the package that is measured");
    return undefined;
  }
  const folder = mkdtempSync(join(tmpdir(), "pipewright-bench-"));
  try {
    const command = installed(folder, built);
    const commands = commandsOf(folder);
    const times = new Map(["node alone", ...commands.map(({ title }) => title)].map((title) => [title, [] as number[]]));
    const run = (title: string, args: readonly string[], i: number): void => {
      const began = performance.now();
      const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8", env: environmentOf(folder) });
      if (status !== 0) throw new Error(`${title} ended with ${status}: ${stderr}`);
      // The first run of each command fills the caches.
      if (i > 0) times.get(title)?.push(performance.now() - began);
    };
    for (let i = 0; i <= repeats; i++) {
      run("node alone", ["-e", "0"], i);
      for (const { title, args, slow } of commands) if (slow !== true || i <= 3) run(title, [command, ...args], i);
    }
    const goals = new Map(commands.map(({ title, goal }) => [title, goal]));
    return [...times].map(([title, all]) => {
      const goal = goals.get(title);
      return { command: title, best: Math.min(...all), wall: median(all), ...(goal === undefined ? {} : { goal }) };
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Puts the command into a folder of its own, as in the package: beside the sources it would use these instead. */
function installed(folder: string, built: string): string {
  const command = join(folder, "package", "bin", "pipewright.mjs");
  mkdirSync(dirname(command), { recursive: true });
  cpSync(fileURLToPath(new URL("../../../bin/pipewright.mjs", import.meta.url)), command);
  symlinkSync(built, join(folder, "package", "dist"));
  return command;
}

const one = `name: one
interfaces:
  hello:
    method: GET
    output: http
    actions:
      - name: Reply
        json_output: { message: hello }
`;

function commandsOf(folder: string): readonly Timed[] {
  writeFileSync(join(folder, "one.yaml"), one);
  mkdirSync(join(folder, "synthetic"));
  for (const { file, text } of syntheticConfigs(1000, 50)) writeFileSync(join(folder, file), text);
  const building = ["--env", "bench", "--quiet"];
  return [
    { title: "--version", args: ["--version"], goal: 120 },
    { title: "--help", args: ["--help"], goal: 120 },
    { title: "check, 1 interface", args: ["check", "one.yaml"], goal: 400 },
    { title: "check, 1,000 interfaces in 50 files", args: ["check", "synthetic"], slow: true },
    {
      title: "build --no-executable, 1 interface",
      args: ["build", "one.yaml", "--no-executable", "--out", "out1", ...building],
      goal: 600,
    },
    {
      title: "build --no-executable, 1,000 interfaces in 50 files",
      args: ["build", "synthetic", "--no-executable", "--out", "out2", ...building],
      goal: 2_000,
      slow: true,
    },
    ...(nativeTarget() === undefined
      ? []
      : [{ title: "build, 1 interface and its executable", args: ["build", "one.yaml", "--out", "out3", ...building], slow: true }]),
  ];
}

/** The cache of compiled code is that of this run; what the synthetic configs read is set. */
const environmentOf = (folder: string): NodeJS.ProcessEnv => ({
  ...process.env,
  XDG_CACHE_HOME: join(folder, "cache"),
  DATABASE_URL: "postgres://127.0.0.1:1/none",
  API_KEY: "none",
});

/** A goal is missed when the best is over it: what a busy machine adds is no part of a command. */
export function commandsTable(reports: readonly CommandReport[]): string {
  const rows = reports.map(({ command, best, wall, goal }) => [
    command,
    figure(best),
    figure(wall),
    goal === undefined ? "" : `${goal} ${best <= goal ? "met" : "MISSED"}`,
  ]);
  return table(["the command as it is installed", "best ms", "median", "goal"], rows);
}
