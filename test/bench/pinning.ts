import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";
import { hasProgram } from "./wrk.ts";

/** Processors of the servers under test and of their load; undefined where the machine has only one or does not let us choose. */
export function processors(): { readonly server: number | undefined; readonly client: number | undefined } {
  return availableParallelism() > 1 && hasProgram("taskset", "--version")
    ? { server: 0, client: 1 }
    : { server: undefined, client: undefined };
}

/** Moves this process, with all its threads, to one processor. */
export function pinSelf(processor: number | undefined): void {
  if (processor !== undefined) execFileSync("taskset", ["-acp", String(processor), String(process.pid)], { stdio: "ignore" });
}
