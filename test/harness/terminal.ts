import { type LiveRuntime, loadRuntime } from "../../compiler/7-link/live.ts";
import { main } from "../../compiler/cli/main.ts";

/** Status and output of an ended command. */
export interface Ended {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command in a folder, in this process, without colour and with an empty environment. */
export const run = (cwd: string, ...args: readonly string[]): Promise<Ended> => runIn({}, cwd, ...args);

/** Runs a command as `run` does, with variables of the environment. */
export async function runIn(env: Readonly<Record<string, string>>, cwd: string, ...args: readonly string[]): Promise<Ended> {
  let out = "";
  let err = "";
  const status = await main(args, {
    cwd,
    isTerminal: false,
    colors: { out: false, err: false },
    env,
    runtime: sharedRuntime,
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { status, out, err };
}

let runtime: Promise<LiveRuntime> | undefined;

/** The runtime of all tests of projects in this process: linking it takes longer than most of these tests. */
export function sharedRuntime(): Promise<LiveRuntime> {
  runtime ??= loadRuntime();
  return runtime;
}
