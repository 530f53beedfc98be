import { findConfigs, findModules } from "../1-read/files.ts";
import { renderFrames } from "../diagnostics/frame.ts";
import { type Planned, planAll } from "../pipeline.ts";

/** Exit statuses of command-line.md. */
export const status = { done: 0, failed: 1, difference: 2, usage: 3, bug: 70, unmet: 78, interrupted: 130 } as const;

/** Where a command reads and writes; tests give their own. */
export interface Terminal {
  readonly cwd: string;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Colour and progress are for people. */
  readonly isTerminal: boolean;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Plans everything below the paths. */
export function planProject(paths: readonly string[], terminal: Terminal): Planned {
  return planAll(findConfigs(paths, terminal.cwd), findModules(paths, terminal.cwd));
}

/** Shows the diagnostics to people on stderr; true when the command has to end with 1. Warnings of a running service are shown, too. */
export function failed(planned: Planned, terminal: Terminal): boolean {
  const shown = planned.failed ? planned.diagnostics.filter(({ severity }) => severity === "error") : [];
  if (shown.length > 0) terminal.err(renderFrames(shown, planned.sources, { color: terminal.isTerminal }));
  return planned.failed;
}
