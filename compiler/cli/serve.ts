import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { type Flags, readSettings } from "#runtime/lib/options.ts";
import { load } from "../6-link/load.ts";
import { printAll } from "../pipeline.ts";
import { failed, planProject, status, type Terminal } from "./project.ts";

export interface ServeFlags extends Flags {
  readonly interpret?: boolean;
}

/** Compiles in memory and serves, with the same modules and runtime as an executable has. */
export async function serve(paths: readonly string[], flags: ServeFlags, terminal: Terminal): Promise<number> {
  const planned = planProject(paths, terminal);
  if (failed(planned, terminal)) return status.failed;
  const environment = flags.env ?? (terminal.env.PIPEWRIGHT_ENV || "production");
  const settings = await readSettings(
    { ...flags, env: environment, vars: [...besides(paths, environment, terminal.cwd), ...(flags.vars ?? [])] },
    terminal.env,
  );
  const loaded = await load(await printAll(planned, { interpret: flags.interpret === true }), terminal.cwd);
  return loaded.serveUntilSignal(loaded.configs, settings);
}

/** `vars/<environment>.yaml` beside the configs, where it exists (command-line.md). */
export function besides(paths: readonly string[], environment: string, cwd: string): string[] {
  const folders = paths.map((path) => {
    const full = resolve(cwd, path);
    return statSync(full).isDirectory() ? full : dirname(full);
  });
  return [...new Set(folders)].map((folder) => join(folder, "vars", `${environment}.yaml`)).filter((file) => existsSync(file));
}
