import { type Flags, readSettings } from "#runtime/lib/options.ts";
import { load, loadForWorkers } from "../6-link/load.ts";
import { documentOf, printAll } from "../pipeline.ts";
import { type DocsFlags, documentOptions } from "./docs-flags.ts";
import { besides, environmentOf, failed, planProject, status, type Terminal } from "./project.ts";

export interface ServeFlags extends Flags, DocsFlags {
  readonly interpret?: boolean;
}

/** Compiles in memory and serves, with the same modules and runtime as an executable has. */
export async function serve(paths: readonly string[], flags: ServeFlags, terminal: Terminal): Promise<number> {
  const environment = environmentOf(flags, terminal);
  const planned = planProject(paths, terminal, environment);
  if (failed(planned, terminal)) return status.failed;
  const given = { ...flags, env: environment, vars: [...besides(paths, environment, terminal.cwd), ...(flags.vars ?? [])] };
  const settings = await readSettings(given, terminal.env);
  const docs = documentOf(planned, documentOptions(flags));
  const modules = await printAll(planned, { interpret: flags.interpret === true });
  if (settings.workers === 1) {
    const loaded = await load(modules, terminal.cwd, docs);
    return loaded.serveUntilSignal(loaded.configs, { ...settings, docs: loaded.docs });
  }
  // Workers run what this process has compiled: a file that changes meanwhile changes nothing.
  const loaded = await loadForWorkers(modules, terminal.cwd, docs);
  const program = { file: loaded.workerFile(given), args: [], nodeArgs: [...process.execArgv, "--disable-sigusr1"] };
  return loaded.serveUntilSignal(loaded.configs, { ...settings, docs: loaded.docs, program });
}
