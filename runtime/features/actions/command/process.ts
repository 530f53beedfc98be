import { type ChildProcess, spawn } from "node:child_process";
import type { Host, Resource } from "../../../process/host.ts";
import type { Act } from "../../../run/run.ts";
import { longestWait } from "../../../value/duration.ts";
import { Failure } from "../../../value/failure.ts";
import { codeOf } from "../../../value/thrown.ts";
import type { Invocation } from "./invocation.ts";

/** How a command has ended: by its own status, or by a signal. */
export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

/**
 * Starts a program in a process group of its own, without input, and collects what it writes: at most 16 MiB of each output. The whole
 * group is killed when the time is over, the run is cancelled, the outputs grow too large, or the process shuts down.
 */
export async function runProcess(act: Act, invocation: Invocation, limitMs: number): Promise<Ended> {
  const { host } = act.run;
  const { signal } = act;
  if (signal.aborted) throw cancelled();
  const { standIn, add } = running(host);
  if (standIn !== undefined) return standIn(invocation);
  const child = start(invocation);
  const release = add(child);
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const stop = (failure: Failure): void => {
    kill(child);
    reject(failure);
  };
  const cancel = (): void => stop(cancelled());
  const timer = setTimeout(() => stop(new Failure("timeout", `command timeout after ${limitMs}ms`)), Math.min(limitMs, longestWait));
  signal.addEventListener("abort", cancel, { once: true });
  try {
    return await Promise.race([stopped, ended(child, host.limits.maxResponseBytes, stop)]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", cancel);
    release();
  }
}

const cancelled = (): Failure => new Failure("command", "command cancelled");

function start({ program, args, env }: Invocation): ChildProcess {
  try {
    // The process has a group of its own, so that what it starts can be killed with it.
    return spawn(program, args, { env, stdio: ["ignore", "pipe", "pipe"], detached: true });
  } catch (error) {
    // Too long a list of arguments is thrown; a program that is missing is an event.
    throw notStarted(error);
  }
}

function notStarted(error: unknown): Failure {
  const code = String(codeOf(error) ?? "unknown");
  return new Failure("command", `command cannot be started: ${code}`, { cause: error });
}

/** The command ends when both outputs are closed, so that everything is read that its background processes write. */
function ended(child: ChildProcess, limit: number, stop: (failure: Failure) => void): Promise<Ended> {
  const tooLong = (): void => stop(new Failure("command", `command output exceeds ${limit} bytes`));
  const stdout = collect(child.stdout, limit, tooLong);
  const stderr = collect(child.stderr, limit, tooLong);
  return new Promise((resolve, reject) => {
    child.once("error", (error) => reject(notStarted(error)));
    child.once("close", (code, signal) => resolve({ code, signal, stdout: stdout(), stderr: stderr() }));
  });
}

function collect(stream: ChildProcess["stdout"], limit: number, tooLong: () => void): () => Buffer {
  const chunks: Buffer[] = [];
  let size = 0;
  stream?.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= limit) chunks.push(chunk);
    else tooLong();
  });
  return () => Buffer.concat(chunks);
}

/**
 * Kills the command and everything that is still in its group. A process that has left the group on purpose can no longer hold our pipes.
 */
function kill(child: ChildProcess): void {
  child.stdout?.destroy();
  child.stderr?.destroy();
  const { pid } = child;
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch (error) {
    // ESRCH: every process of the group has ended.
    if (codeOf(error) !== "ESRCH") throw error;
  }
}

/** The commands of a host, or what a test puts in their place. */
export interface Commands extends Resource {
  /** Counts a command until the result is called. */
  readonly add: (child: ChildProcess) => () => void;
  /** Answers in place of a process. */
  readonly standIn?: (invocation: Invocation) => Promise<Ended>;
}

/** The commands of a host: none outlives the process. */
function running(host: Host): Commands {
  return host.resource<Commands>("commands", () => {
    const children = new Set<ChildProcess>();
    return {
      add: (child: ChildProcess) => {
        children.add(child);
        return () => void children.delete(child);
      },
      close: () => children.forEach(kill),
    };
  });
}
