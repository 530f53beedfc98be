import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { countedLoad } from "./load.ts";
import { type Command, startServer } from "./server.ts";
import type { Workload } from "./workloads.ts";
import { hasProgram } from "./wrk.ts";

// Instructions of user space, as valgrind counts them. They say less about time than time does, but a busy machine does not change them.

const run = promisify(execFile);

/** Requests before the count, after which V8 has compiled what it will, and requests that are counted: enough for many collections. */
const requests = { before: 15_000, counted: 4_000 } as const;

const connections = 16;

/** True when the machine can count: valgrind, and the program that talks to it. */
export const canCount = (): boolean => hasProgram("valgrind", "--version") && hasProgram("vgdb", "--version");

/** Instructions of one request of each workload, in steady state. All of them go to one process, which takes long to start here. */
export async function instructionsOf(command: Command, workloads: readonly Workload[]): Promise<readonly number[]> {
  const folder = mkdtempSync(join(tmpdir(), "pipewright-instructions-"));
  try {
    const server = await startServer("counted", counted(command, folder), undefined);
    const tell = valgrindOf(folder);
    const counts: number[] = [];
    try {
      for (const workload of workloads) {
        // A request that is not counted runs much faster under valgrind.
        await countedLoad(server.url, workload, connections, requests.before);
        await tell("instrumentation", "on");
        await tell("zero");
        await countedLoad(server.url, workload, connections, requests.counted);
        await tell("dump", workload.path);
        await tell("instrumentation", "off");
        counts.push(dumped(folder, counts.length + 1) / requests.counted);
      }
    } finally {
      await server.stop();
    }
    return counts;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A command under callgrind. V8 writes code while it runs (`smc-check`), and does all of its work in one thread, so that runs repeat. */
const counted = ({ program, args, env }: Command, folder: string): Command => ({
  program: "valgrind",
  args: [
    "--tool=callgrind",
    "--instr-atstart=no",
    "--smc-check=all-non-file",
    `--callgrind-out-file=${join(folder, "counts")}`,
    `--log-file=${join(folder, "log")}`,
    program,
    "--single-threaded",
    ...args,
  ],
  env,
});

/**
 * Sends a command to the valgrind that writes its log to `folder`. After a minute it gives up, because a machine may not allow programs to
 * attach.
 */
function valgrindOf(folder: string): (...command: readonly string[]) => Promise<unknown> {
  const pid = /^==(\d+)==/m.exec(readFileSync(join(folder, "log"), "utf8"))?.[1];
  return (...command) => run("vgdb", [`--pid=${pid}`, ...command], { timeout: 60_000 });
}

/** The total of a dump: callgrind numbers its files. */
function dumped(folder: string, number: number): number {
  const name = readdirSync(folder).find((each) => each === `counts.${number}`);
  return name === undefined ? Number.NaN : totalOf(readFileSync(join(folder, name), "utf8"));
}

/** The number of instructions that a dump of callgrind sums up to; NaN where it says none. */
export const totalOf = (dump: string): number => Number(/^summary: (\d+)$/m.exec(dump)?.[1] ?? Number.NaN);
