import { readFileSync } from "node:fs";

export type EndSignal = "SIGTERM" | "SIGINT" | "SIGHUP";

/** The signals that end a process after its open work. A process that `nohup` has started lives on when its terminal closes. */
export const endSignals = (): readonly EndSignal[] => (isHangupIgnored() ? ["SIGTERM", "SIGINT"] : ["SIGTERM", "SIGINT", "SIGHUP"]);

/** True when the process was started with SIGHUP ignored. Only Linux can tell this, and only before the process installs a handler. */
function isHangupIgnored(): boolean {
  if (process.platform !== "linux") return false;
  try {
    const [, mask = "0"] = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "latin1")) ?? [];
    return (Number.parseInt(mask.slice(-1), 16) & 1) === 1;
  } catch {
    // Without /proc the answer is unknown.
    return false;
  }
}
