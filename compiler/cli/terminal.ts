import { realpathSync } from "node:fs";
import type { Terminal } from "./project.ts";

interface Stream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly write: (text: string) => unknown;
}

interface Keyboard {
  readonly isTTY?: boolean;
  readonly setRawMode?: (raw: boolean) => unknown;
  readonly on: (event: "data", heard: (bytes: Buffer) => void) => unknown;
  readonly off: (event: "data", heard: (bytes: Buffer) => void) => unknown;
  readonly resume: () => unknown;
  readonly pause: () => unknown;
}

/** The parts of a process that a terminal needs. */
export interface Process {
  readonly stdin?: Keyboard;
  readonly stdout: Stream;
  readonly stderr: Stream;
  readonly env: Terminal["env"];
  readonly cwd: () => string;
}

/**
 * The terminal of a process. Each stream has colours if it is a terminal, unless `NO_COLOR` has a value (no-color.org: an empty value does
 * not count).
 */
export function terminalOf({ stdin, stdout, stderr, env, cwd }: Process): Terminal {
  const colored = (stream: Stream): boolean => stream.isTTY === true && !env.NO_COLOR && env.TERM !== "dumb";
  return {
    cwd: realpathSync(cwd()),
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    isTerminal: stdout.isTTY === true,
    columns: stdout.columns,
    colors: { out: colored(stdout), err: colored(stderr) },
    ...(stdin?.isTTY === true && stdout.isTTY === true ? { keys: keysOf(stdin) } : {}),
    isLive: stderr.isTTY === true && env.TERM !== "dumb",
    env,
  };
}

/** Calls `pressed` for each key, without Enter. Ctrl-C then arrives as a key, too, and still ends the process. */
const keysOf =
  (stdin: Keyboard) =>
  (pressed: (key: string) => void): (() => void) => {
    const heard = (bytes: Buffer): void => {
      const key = bytes.toString();
      if (key === "\u0003") process.kill(process.pid, "SIGINT");
      else pressed(key);
    };
    stdin.setRawMode?.(true);
    stdin.on("data", heard);
    stdin.resume();
    return () => {
      stdin.off("data", heard);
      stdin.setRawMode?.(false);
      stdin.pause();
    };
  };
