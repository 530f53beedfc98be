import { realpathSync } from "node:fs";
import type { Terminal } from "./project.ts";

interface Stream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly write: (text: string) => unknown;
}

/** The parts of a process that a terminal needs. */
export interface Process {
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly env: Terminal["env"];
  readonly cwd: () => string;
}

/**
 * The terminal of a process. Each stream has colours where somebody sees them, unless `NO_COLOR` says something (no-color.org: an empty one
 * does not).
 */
export function terminalOf({ stdout, stderr, env, cwd }: Process): Terminal {
  const colored = (stream: Stream): boolean => stream.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb";
  return {
    cwd: realpathSync(cwd()),
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    isTerminal: stdout.isTTY === true,
    columns: stdout.columns,
    colors: { out: colored(stdout), err: colored(stderr) },
    isLive: stderr.isTTY === true && env.TERM !== "dumb",
    env,
  };
}
