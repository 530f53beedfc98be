import type { LogLevel } from "#runtime/process/host.ts";
import { createLog } from "#runtime/process/log.ts";
import type { ServeOptions } from "#runtime/process/server.ts";
import type { Flags } from "#runtime/process/settings/options.ts";
import { UsageError } from "#runtime/process/settings/usage-error.ts";
import type { Config } from "#runtime/run/interface.ts";
import { type Loaded, load, loadForWorkers } from "../7-link/load.ts";
import { consoleFacts } from "../console/facts.ts";
import { consoleParts } from "../console/page.ts";
import { documentOf, type Planned, printAll } from "../pipeline.ts";
import { type DocsFlags, documentOptions } from "./docs-flags.ts";
import { type EnforceFlags, manifestOf } from "./enforced.ts";
import { framesFor } from "./frames.ts";
import { openInspector } from "./inspector.ts";
import { besides, environmentOf, failed, planProject, sayEnvironment, type Terminal } from "./project.ts";
import { commandSettings } from "./settings.ts";
import { ownState } from "./state-file.ts";
import { status } from "./status.ts";

export interface ServeFlags extends Omit<Flags, "enforceManifest">, DocsFlags, EnforceFlags {
  readonly interpret?: boolean;
  /** The address for a debugger; true for the default port. */
  readonly inspect?: string | true;
  /** True to serve the configurations without errors when others have errors. */
  readonly keepGoing?: boolean;
  /** True to keep the state in memory when no database is named. */
  readonly ephemeral?: boolean;
}

/** The configurations without errors. A mistake in a module may affect all configurations, so none is left then. */
function healthy(planned: Planned): Planned {
  const broken = new Set(planned.diagnostics.filter(({ severity }) => severity === "error").map(({ at }) => at.file));
  const isShared = [...broken].some((file) => file.split("/").includes("modules"));
  return { ...planned, plans: isShared ? [] : planned.plans.filter(({ file }) => !broken.has(file)) };
}

/** Shows the warnings of the compiler: as frames on a terminal, else as records of the log. */
function warn({ diagnostics, sources }: Planned, level: LogLevel, terminal: Terminal): void {
  const warnings = diagnostics.filter(({ severity }) => severity === "warning");
  if (warnings.length === 0) return;
  if (terminal.isTerminal) {
    terminal.err(framesFor(warnings, sources, terminal));
    return;
  }
  const log = createLog({ level });
  for (const { code, message, at } of warnings)
    log("warn", message, { code, file: at.file, line: sources.lines(at.file).at(at.start).line });
}

/** Compiles in memory and serves, with the same modules and runtime as an executable has. */
export async function serve(paths: readonly string[], { enforceManifest, ...flags }: ServeFlags, terminal: Terminal): Promise<number> {
  openInspector(flags.inspect);
  const environment = environmentOf(paths, flags, terminal);
  sayEnvironment(environment, flags, terminal);
  const all = planProject(paths, terminal, environment);
  const isBroken = failed(all, terminal);
  const planned = isBroken ? healthy(all) : all;
  if (isBroken && (flags.keepGoing !== true || planned.plans.length === 0)) return status.failed;
  const servingFlags = {
    ...{ ...flags, env: environment, besides: besides(paths, environment, terminal.cwd) },
    ...ownState(paths, flags, terminal.cwd),
  };
  const settings = await commandSettings(servingFlags, terminal.env);
  warn(all, settings.logLevel, terminal);
  const docs = documentOf(planned, documentOptions(flags));
  const enforced = manifestOf({ enforceManifest }, planned, terminal);
  const modules = await printAll(planned, { interpret: flags.interpret === true });
  // The console is made only if it is served.
  const isShown = settings.admin.bind !== undefined;
  const shown = isShown ? { parts: await consoleParts(), facts: consoleFacts({ ...planned, modules }) } : undefined;
  const options = { root: terminal.cwd, docs, enforced, shown };
  if (settings.workers === 1) {
    const loaded = await load(modules, options);
    return loaded.serveUntilSignal(...held(loaded, settings));
  }
  if (flags.inspect !== undefined) throw new UsageError("--inspect: a debugger attaches to one process; leave out --workers");
  // Workers run the modules that this process has compiled, so later changes of files have no effect.
  const loaded = await loadForWorkers(modules, options);
  const program = { file: loaded.workerFile(servingFlags), args: [], nodeArgs: [...process.execArgv, "--disable-sigusr1"] };
  return loaded.serveUntilSignal(...held(loaded, { ...settings, program }));
}

/** The configurations that an enforced manifest permits, and the options for serving them. */
function held({ configs, docs, enforcement, shown }: Loaded, settings: ServeOptions): [readonly Config[], ServeOptions] {
  const { configs: permitted, unmet } = enforcement?.(configs, undefined) ?? { configs, unmet: [] };
  return [permitted, { ...settings, docs, shown, unmet: [...(settings.unmet ?? []), ...unmet] }];
}
