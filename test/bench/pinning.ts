import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { hasProgram } from "./wrk.ts";

/** Processors of the servers under test and of their load; undefined where the machine has only one or does not let us choose. */
export function processors(): { readonly server: number | undefined; readonly client: number | undefined } {
  const canChoose = availableParallelism() > 1 && hasProgram("taskset", "--version");
  return canChoose ? { server: 0, client: 1 } : { server: undefined, client: undefined };
}

/** Does some work with this process, and all its threads, on one processor. */
export async function onProcessor<T>(processor: number | undefined, work: () => Promise<T>): Promise<T> {
  if (processor === undefined) return work();
  const before = /: ([\d,-]+)$/.exec(taskset("-cp").trim())?.[1];
  taskset("-acp", String(processor));
  try {
    return await work();
  } finally {
    if (before !== undefined) taskset("-acp", before);
  }
}

const taskset = (...args: readonly string[]): string => execFileSync("taskset", [...args, String(process.pid)], { encoding: "utf8" });
