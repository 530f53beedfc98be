import { readFileSync } from "node:fs";

export type EndSignal = "SIGTERM" | "SIGINT" | "SIGHUP";

/** The signals that let a process end what it has begun. What `nohup` has started lives on when its terminal goes. */
export const endSignals = (): readonly EndSignal[] => (isHangupIgnored() ? ["SIGTERM", "SIGINT"] : ["SIGTERM", "SIGINT", "SIGHUP"]);

/** Only Linux tells what a process was started with; a handler of ours would replace it. */
function isHangupIgnored(): boolean {
  if (process.platform !== "linux") return false;
  try {
    const [, mask = "0"] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "latin1")) ?? [];
    return (Number.parseInt(mask.slice(-1), 16) & 1) === 1;
  } catch {
    // No /proc here: nobody can tell.
    return false;
  }
}
