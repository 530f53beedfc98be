import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { environmentProblem } from "#runtime/formats/environment-name.ts";
import { baseSlot } from "#runtime/keys/envelope.ts";
import { UsageError } from "#runtime/process/settings/usage-error.ts";
import { visible, visibleLine } from "#runtime/value/visible.ts";
import { type ConfigFile, existingIn, findConfigs, findModules, isTestFile } from "../1-read/files.ts";
import { PathError } from "../1-read/path-error.ts";
import type { LiveRuntime } from "../7-link/live.ts";
import { build } from "../diagnostics/codes/build.ts";
import { byPlace, type Diagnostic } from "../diagnostics/diagnostic.ts";
import { jsonReport } from "../diagnostics/json.ts";
import { nearest } from "../diagnostics/nearest.ts";
import type { Sources } from "../diagnostics/position.ts";
import { type FilePlanning, fallbacks, type Planned, planAll } from "../pipeline.ts";
import { framesFor } from "./frames.ts";

/** The streams and surroundings of a command; tests pass their own. */
export interface Terminal {
  readonly cwd: string;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** True when a user reads stdout, so that output is laid out for reading. */
  readonly isTerminal: boolean;
  /** True for the streams that may have colours. */
  readonly colors: { readonly out: boolean; readonly err: boolean };
  /** The columns of stdout, if it is a terminal. */
  readonly columns?: number | undefined;
  /** Calls `pressed` for each pressed key, until the returned function is called; absent without a user at the terminal. */
  readonly keys?: (pressed: (key: string) => void) => () => void;
  /** True when a line on stderr may be rewritten. */
  readonly isLive?: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Gives the runtime for tests of projects, if commands share one; otherwise each command loads its own. */
  readonly runtime?: () => Promise<LiveRuntime>;
}

/** `--env`, else `PIPEWRIGHT_ENV`, else development where the project has a file of it, else production (spec/command-line 2). */
export const environmentOf = (paths: readonly string[], flags: { readonly env?: string }, terminal: Terminal): string =>
  askedEnvironment(flags, terminal) ??
  presetEnvironment(
    foldersOf(
      paths.filter((path) => existsSync(resolve(terminal.cwd, path))),
      terminal.cwd,
    ),
  );

/** The environment of a command without `--env`: `development` when the project has a file for it, else `production`. */
export const presetEnvironment = (folders: readonly string[]): string =>
  folders.some((folder) => existsSync(join(folder, "vars", "development.yaml"))) ? "development" : "production";

/** Tells the user at the terminal which environment is used, and whether it is only the default. */
export function sayEnvironment(environment: string, flags: { readonly env?: string }, terminal: Terminal): void {
  if (terminal.isLive !== true) return;
  const how = askedEnvironment(flags, terminal) === undefined ? " by default; --env or PIPEWRIGHT_ENV chooses another" : "";
  terminal.err(`environment ${environment}${how}\n`);
}

/** The environment that the user named, by the flag or by `PIPEWRIGHT_ENV`. */
export const askedEnvironment = ({ env }: { readonly env?: string }, terminal: Terminal): string | undefined =>
  env ?? (terminal.env.PIPEWRIGHT_ENV || undefined);

/** Refuses a wrong name of an environment, before any other work. */
export function refuseEnvironment(name: string): void {
  const problem = environmentProblem(name);
  if (problem !== undefined) throw new UsageError(problem);
}

/**
 * Refuses an environment without a file when other environments have files, since its name is probably misspelt. Without any such file
 * there are no managed variables.
 */
export function refuseUnknownEnvironment(name: string, folders: readonly string[], cwd: string): void {
  const names = [...new Set(folders.flatMap((folder) => environmentsIn(resolve(cwd, folder))))].sort();
  if (names.length === 0 || names.includes(name)) return;
  const close = nearest(name, names);
  throw new UsageError(
    `there is no vars/${name}.yaml${close === undefined ? "" : ` (did you mean '${close}'?)`}; environments with a file: ${names.join(", ")}`,
  );
}

/** The environments with a file in the folder `vars`; the file for all environments is left out. */
function environmentsIn(folder: string): readonly string[] {
  const vars = join(folder, "vars");
  if (!existsSync(vars) || !statSync(vars).isDirectory()) return [];
  return readdirSync(vars).flatMap((file) =>
    file.endsWith(".yaml") && file !== `${baseSlot}.yaml` ? [file.slice(0, -".yaml".length)] : [],
  );
}

/** The options with which a project is planned, besides its paths. */
export interface PlanOptions extends Pick<FilePlanning, "given" | "described" | "texts" | "memory" | "findParts"> {
  /** True when the environment was requested: its files are then compared with the variables that are read. */
  readonly holds?: boolean;
  /** Files that are not on the disk; `texts` gives their content. */
  readonly unsaved?: Unsaved;
}

export interface Unsaved {
  readonly configs: readonly ConfigFile[];
  readonly modules: readonly ConfigFile[];
}

/**
 * Plans everything below the paths; with an environment its managed variables are checked, too. Files of other tools are left out, with a
 * line on stderr for each. Folders without a configuration are wrong usage.
 */
export function planProject(paths: readonly string[], terminal: Terminal, environment?: string, options: PlanOptions = {}): Planned {
  const planned = planPaths(paths, terminal.cwd, environment, options);
  for (const file of planned.skipped) terminal.err(`skipped ${visibleLine(file)}: no configuration, it has no interfaces\n`);
  return planned;
}

/** Plans without messages about skipped files, for commands that plan repeatedly. */
export function planPaths(
  paths: readonly string[],
  cwd: string,
  environment?: string,
  { holds = false, given = [], unsaved = { configs: [], modules: [] }, ...more }: PlanOptions = {},
): Planned {
  const configs = [...findConfigs(paths, cwd), ...unsaved.configs];
  const variables = environment === undefined ? [] : besides(paths, environment, cwd);
  // Variables from flags need no file of the environment.
  if (environment !== undefined && holds && given.length === 0) refuseUnknownEnvironment(environment, foldersOf(paths, cwd), cwd);
  const planning = {
    modules: [...findModules(paths, cwd), ...unsaved.modules],
    // The files are kept in this order, in which later files win, and not sorted by name.
    variables: variables.flatMap((file) => findConfigs([file], cwd)),
    given,
    ...more,
  };
  const planned = planAll(configs, { ...planning, environment: holds ? environment : undefined });
  if (planned.skipped.length === configs.length)
    throw new PathError(paths.join(", "), paths.every(isTestFile) ? onlyTests : nothingIn(planned.skipped));
  return planned;
}

/** The message that there is no configuration. It names the first files that were skipped because they have no interfaces. */
function nothingIn(skipped: readonly string[]): string {
  if (skipped.length === 0) return "no configuration (*.yaml, *.yml) is in it";
  const rest = skipped.length > 3 ? ` and ${skipped.length - 3} more` : "";
  return `no configuration is in it: ${skipped.slice(0, 3).map(visibleLine).join(", ")}${rest} ${skipped.length === 1 ? "has" : "have"} no interfaces`;
}

const onlyTests = "contract tests are no configuration: `pipewright test` runs them";

/** Folders that may have a folder `vars`. A path may be missing for a moment during `dev`. */
export const foldersOf = (paths: readonly string[], cwd: string): readonly string[] => [
  ...new Set(
    paths.map((path) => {
      const full = resolve(cwd, path);
      return statSync(full, { throwIfNoEntry: false })?.isDirectory() === true ? full : dirname(full);
    }),
  ),
];

/** `vars/base.yaml` and `vars/<environment>.yaml` beside the configs, where they exist (spec/command-line 2): the later one wins. */
export function besides(paths: readonly string[], environment: string, cwd: string): string[] {
  const folders = foldersOf(paths, cwd);
  const names = [baseSlot, environment].map((slot) => `${slot}.yaml`);
  return existingIn(names.flatMap((name) => folders.map((folder) => join(folder, "vars", name))));
}

export interface DenyFlags {
  readonly deny?: string;
}

/** Turns findings that are denied into errors. */
export function denied(planned: Planned, { deny }: DenyFlags): Planned {
  const errors = deny === "jq-fallback" ? fallbacks(planned).map(({ reason, at }) => ({ ...build.jqFallback(reason), at })) : [];
  const diagnostics = [...planned.diagnostics, ...errors].sort(byPlace);
  return errors.length === 0 ? planned : { ...planned, diagnostics, failed: true };
}

/** One line for each filter that jq itself has to run. With `--deny jq-fallback` there are none, because an error tells more. */
export function fallbackLines(planned: Planned, { deny }: DenyFlags): readonly string[] {
  if (deny === "jq-fallback") return [];
  return fallbacks(planned).map(({ reason, at }) => {
    const { line, column } = planned.sources.lines(at.file).at(at.start);
    return `${visibleLine(at.file)}:${line}:${column}: jq filter falls back to jq itself: ${reason}`;
  });
}

/** The flag for the form of the report. */
export interface ToldFlags {
  readonly format?: string;
}

/**
 * Shows the errors on stderr; true when the command has to end with 1. For a command with `--format json`, stdout then has the JSON report
 * of `check`.
 */
export function failed(planned: Errors, terminal: Terminal, { format }: ToldFlags = {}): boolean {
  if (!planned.failed) return false;
  const errors = errorsOf(planned);
  if (errors.length > 0) terminal.err(framesFor(errors, planned.sources, terminal));
  if (format === "json") terminal.out(errorReport(errors, planned.sources));
  return true;
}

/** Only the diagnostics that are errors. */
export const errorsOf = ({ diagnostics }: Errors): readonly Diagnostic[] => diagnostics.filter(({ severity }) => severity === "error");

/** The errors as the JSON text that `check --format json` prints. */
export const errorReport = (errors: readonly Diagnostic[], sources: Sources): string =>
  visible(`${JSON.stringify(jsonReport(errors, sources), null, 2)}\n`);

export type Errors = Pick<Planned, "failed" | "diagnostics" | "sources">;
