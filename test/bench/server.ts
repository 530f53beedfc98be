import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

/** A server under test, in a process of its own. */
export interface Server<Name extends string = string> {
  readonly name: Name;
  readonly url: URL;
  readonly pid: number;
  /** Microseconds of processor time that all its threads have used so far. */
  readonly cpu: () => number;
  readonly stop: () => Promise<void>;
}

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Starts a server that says `{"msg": "listening", "url"}` on its standard output, on one processor where the machine lets us choose. */
export async function startServer<Name extends string>(
  name: Name,
  { program, args, env }: Command,
  processor: number | undefined,
): Promise<Server<Name>> {
  const pinned = processor === undefined ? [program, ...args] : ["taskset", "-c", String(processor), program, ...args];
  const [first = program, ...rest] = pinned;
  const child = spawn(first, rest, { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, NODE_ENV: "production", ...env } });
  // No server outlives the benchmark, also when the benchmark fails.
  const kill = (): void => void child.kill();
  process.on("exit", kill);
  const url = await listening(name, child);
  return {
    name,
    url: new URL(url),
    pid: child.pid ?? 0,
    cpu: () => cpuOf(child.pid ?? 0),
    stop: async () => {
      const ended = once(child, "exit");
      kill();
      await ended;
      process.off("exit", kill);
    },
  };
}

function listening(name: string, child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("exit", (code) => reject(new Error(`${name} ended with ${code} before it listened`)));
    if (child.stdout === null) return;
    createInterface(child.stdout).on("line", (line) => {
      const { msg, url }: { msg?: string; url?: string } = JSON.parse(line);
      if (msg === "listening" && url !== undefined) resolve(url);
      else console.error(`${name}: ${line}`);
    });
  });
}

/** The scheduler counts nanoseconds for each thread, which is finer than the ticks of `stat`. NaN where there is no /proc. */
export function cpuOf(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    return (
      threads.reduce((sum, thread) => sum + Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]), 0) / 1000
    );
  } catch {
    return Number.NaN;
  }
}
