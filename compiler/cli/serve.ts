import { type Flags, readSettings } from "#runtime/lib/options.ts";
import { load } from "../6-link/load.ts";
import { documentOf, printAll } from "../pipeline.ts";
import { type DocsFlags, documentOptions } from "./docs-flags.ts";
import { besides, failed, planProject, status, type Terminal } from "./project.ts";

export interface ServeFlags extends Flags, DocsFlags {
  readonly interpret?: boolean;
}

/** Compiles in memory and serves, with the same modules and runtime as an executable has. */
export async function serve(paths: readonly string[], flags: ServeFlags, terminal: Terminal): Promise<number> {
  const environment = flags.env ?? (terminal.env.PIPEWRIGHT_ENV || "production");
  const planned = planProject(paths, terminal, environment);
  if (failed(planned, terminal)) return status.failed;
  const settings = await readSettings(
    { ...flags, env: environment, vars: [...besides(paths, environment, terminal.cwd), ...(flags.vars ?? [])] },
    terminal.env,
  );
  const docs = documentOf(planned, documentOptions(flags));
  const loaded = await load(await printAll(planned, { interpret: flags.interpret === true }), terminal.cwd, docs);
  return loaded.serveUntilSignal(loaded.configs, { ...settings, docs: loaded.docs });
}
