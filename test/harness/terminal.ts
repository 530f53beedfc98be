import { main } from "../../compiler/cli/main.ts";

/** The end of a command, as a caller sees it. */
export interface Ended {
  readonly status: number;
  readonly out: string;
  readonly err: string;
}

/** Runs a command in a folder, in this process, without colour and with an empty environment. */
export const run = (cwd: string, ...args: readonly string[]): Promise<Ended> => runIn({}, cwd, ...args);

/** The same, with variables of the environment. */
export async function runIn(env: Readonly<Record<string, string>>, cwd: string, ...args: readonly string[]): Promise<Ended> {
  let out = "";
  let err = "";
  const status = await main(args, {
    cwd,
    isTerminal: false,
    colors: { out: false, err: false },
    env,
    out: (text) => {
      out += text;
    },
    err: (text) => {
      err += text;
    },
  });
  return { status, out, err };
}
