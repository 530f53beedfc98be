import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { isObject, type Json } from "../value/json.ts";
import { codeOf } from "../value/thrown.ts";

/** The facts by which other processes of the machine can find this one. A text is empty where the system does not tell. */
interface Session {
  readonly host: string;
  /** The id of the boot, which is new after each start of the machine. */
  readonly boot: string;
  /** The namespace of process ids: each container has its own. */
  readonly space: string;
  readonly pid: number;
  /** The start time of the process. The system reuses process ids, so that another start time means another process. */
  readonly began: string;
}

/** This process, as JSON. */
export const ownSession = (): string =>
  JSON.stringify({ host: hostname(), boot: bootOf(), space: spaceOf(), pid: process.pid, began: beginOf("self") } satisfies Session);

/** True when the process of this text is known to have ended; false when it may run on another machine. */
export function hasEnded(text: string): boolean {
  const session = read(text);
  if (session === undefined || session.host !== hostname()) return false;
  if (session.boot !== bootOf()) return true;
  if (session.space !== spaceOf()) return false;
  return !isAlive(session.pid) || (session.began !== "" && session.began !== beginOf(session.pid));
}

function read(text: string): Session | undefined {
  const session: Json = JSON.parse(text);
  if (!isObject(session)) return undefined;
  const { host, boot, space, pid, began } = session;
  const isWhole = [host, boot, space, began].every((part) => typeof part === "string") && typeof pid === "number";
  return isWhole ? { host: String(host), boot: String(boot), space: String(space), pid: Number(pid), began: String(began) } : undefined;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process that may not be signalled is alive, too.
    return codeOf(error) !== "ESRCH";
  }
}

const bootOf = (): string => readOrEmpty(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());

const spaceOf = (): string => readOrEmpty(() => readlinkSync("/proc/self/ns/pid"));

/** The start time of a process as Linux counts it: the 22nd field. The second field may hold any characters, in parentheses. */
const beginOf = (pid: number | "self"): string =>
  readOrEmpty(() => {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  });

function readOrEmpty(ask: () => string): string {
  try {
    return ask();
  } catch {
    return "";
  }
}
