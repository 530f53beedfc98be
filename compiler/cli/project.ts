import { existsSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { baseSlot } from "#runtime/lib/envelope.ts";
import { visibleLine } from "#runtime/lib/visible.ts";
import { findConfigs, findModules, PathError } from "../1-read/files.ts";
import { build } from "../diagnostics/codes/build.ts";
import { byPlace } from "../diagnostics/diagnostic.ts";
import { renderFrames } from "../diagnostics/frame.ts";
import { fallbacks, type Planned, planAll } from "../pipeline.ts";

/** Exit statuses of command-line.md. */
export const status = {
  done: 0,
  failed: 1,
  difference: 2,
  usage: 3,
  bug: 70,
  unmet: 78,
  timeout: 124,
  interrupted: 130,
  terminated: 143,
} as const;

/** Where a command reads and writes; tests give their own. */
export interface Terminal {
  readonly cwd: string;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Somebody reads what goes to stdout: it is laid out for people. */
  readonly isTerminal: boolean;
  /** Which of the two may have colours. */
  readonly colors: { readonly out: boolean; readonly err: boolean };
  /** A line on stderr may be written again. */
  readonly isLive?: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** `--env`, else `PIPEWRIGHT_ENV`, else production (command-line.md). */
export const environmentOf = ({ env }: { readonly env?: string }, terminal: Terminal): string =>
  env ?? (terminal.env.PIPEWRIGHT_ENV || "production");

/**
 * Plans everything below the paths; with an environment its managed variables are looked at, too. Files of other tools are left out, with a line on
 * stderr for each. Folders without a configuration are wrong usage.
 */
export function planProject(paths: readonly string[], terminal: Terminal, environment?: string): Planned {
  const planned = planPaths(paths, terminal.cwd, environment);
  for (const file of planned.skipped) terminal.err(`skipped ${visibleLine(file)}: no configuration, it has no interfaces\n`);
  return planned;
}

/** The same without a word about what is left out, for commands that plan again and again. */
export function planPaths(paths: readonly string[], cwd: string, environment?: string): Planned {
  const configs = findConfigs(paths, cwd);
  const variables = environment === undefined ? [] : besides(paths, environment, cwd);
  const planned = planAll(configs, findModules(paths, cwd), findConfigs(variables, cwd));
  if (planned.skipped.length === configs.length) throw new PathError(paths.join(", "), "no configuration (*.yaml, *.yml) is in it");
  return planned;
}

/** `vars/base.yaml` and `vars/<environment>.yaml` beside the configs, where they exist (command-line.md): the later one wins. */
export function besides(paths: readonly string[], environment: string, cwd: string): string[] {
  const folders = paths.map((path) => {
    const full = resolve(cwd, path);
    return statSync(full).isDirectory() ? full : dirname(full);
  });
  const names = [baseSlot, environment].map((slot) => `${slot}.yaml`);
  return names.flatMap((name) => [...new Set(folders)].map((folder) => join(folder, "vars", name))).filter((file) => existsSync(file));
}

/** What `--deny` may name. */
export const deniable = ["jq-fallback"] as const;

export interface DenyFlags {
  readonly deny?: string;
}

/** The same project with what is denied as errors. */
export function denied(planned: Planned, { deny }: DenyFlags): Planned {
  const errors = deny === "jq-fallback" ? fallbacks(planned).map(({ reason, at }) => ({ ...build.jqFallback(reason), at })) : [];
  const diagnostics = [...planned.diagnostics, ...errors].sort(byPlace);
  return errors.length === 0 ? planned : { ...planned, diagnostics, failed: true };
}

/** One line for each filter that jq itself has to run; none where that was denied, which is told at length. */
export function fallbackLines(planned: Planned, { deny }: DenyFlags): readonly string[] {
  if (deny === "jq-fallback") return [];
  return fallbacks(planned).map(({ reason, at }) => {
    const { line, column } = planned.sources.lines(at.file).at(at.start);
    return `${visibleLine(at.file)}:${line}:${column}: jq filter falls back to jq itself: ${reason}`;
  });
}

/** Shows the diagnostics to people on stderr; true when the command has to end with 1. Warnings of a running service are shown, too. */
export function failed(planned: Planned, terminal: Terminal): boolean {
  const shown = planned.failed ? planned.diagnostics.filter(({ severity }) => severity === "error") : [];
  if (shown.length > 0) terminal.err(renderFrames(shown, planned.sources, { color: terminal.colors.err }));
  return planned.failed;
}
