import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { readSettings } from "#runtime/process/settings/options.ts";
import { Unmet } from "#runtime/process/unmet.ts";
import { findConfigs } from "../../1-read/files.ts";
import type { Planned } from "../../pipeline.ts";
import type { BenchSettings } from "../../testing/bench.ts";
import { readSuite, type Suite } from "../../testing/suite.ts";
import { configPaths } from "../../testing/test-file.ts";
import { framesFor } from "../frames.ts";
import { askedEnvironment, besides, planProject, type Terminal } from "../project.ts";
import { type ReportFlags, sayMistakes } from "./report.ts";

/** A project with its tests. */
export interface TestedProject {
  readonly planned: Planned;
  readonly suite: Suite;
}

/** Reads a project and its tests, and shows their mistakes; undefined when they cannot be run. A path may be a file of tests. */
export function readTested(
  paths: readonly string[],
  flags: Partial<ReportFlags> & { readonly env?: string },
  terminal: Terminal,
): TestedProject | undefined {
  const configs = configPaths(paths, terminal.cwd);
  const planned = planProject(configs, terminal, environmentOfTests(paths, flags, terminal));
  if (sayMistakes(planned, flags, terminal)) return undefined;
  const byPath = new Map(findConfigs(configs, terminal.cwd).map(({ path, file }) => [path, file]));
  const suite = readSuite(planned, paths, byPath, terminal.cwd);
  return refused(suite, flags, terminal) ? undefined : { planned, suite };
}

/** The requested environment; else `test` if it has variables of its own, else `development`. */
export function environmentOfTests(paths: readonly string[], flags: { readonly env?: string }, terminal: Terminal): string {
  const environment = askedEnvironment(flags, terminal);
  if (environment !== undefined) return environment;
  const hasOwn = paths.some((path) => existsSync(join(resolve(terminal.cwd, path), "vars", "test.yaml")));
  return hasOwn ? "test" : "development";
}

/** Shows the mistakes in files of tests; true when they cannot be run. */
function refused(suite: Suite, flags: Partial<ReportFlags>, terminal: Terminal): boolean {
  const { diagnostics, sources } = suite;
  if (!suite.failed && diagnostics.length > 0) terminal.err(framesFor(diagnostics, sources, terminal));
  return sayMistakes(suite, flags, terminal);
}

/** The managed variables of the environment. A test gets no other settings of this machine. */
export async function settingsOf(paths: readonly string[], flags: { readonly env?: string }, terminal: Terminal): Promise<BenchSettings> {
  const environment = environmentOfTests(paths, flags, terminal);
  const { env } = terminal;
  const keys = ["PIPEWRIGHT_MASTER_KEY", "PIPEWRIGHT_VARS"].flatMap((name) =>
    env[name] === undefined ? [] : [[name, env[name]] as const],
  );
  const settings = await readSettings(
    { env: environment, besides: besides(configPaths(paths, terminal.cwd), environment, terminal.cwd) },
    Object.fromEntries(keys),
  );
  if (settings.unmet.length > 0) throw new Unmet(settings.unmet);
  return { environment, variables: settings.variables };
}
