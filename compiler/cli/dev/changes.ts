import { statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { codeOf } from "#runtime/value/thrown.ts";
import { findConfigs, findModules } from "../../1-read/files.ts";
import { PathError } from "../../1-read/path-error.ts";
import { besides } from "../project.ts";
import { Hints } from "./hints.ts";

/** Milliseconds between two checks of the files, unless a check takes long. */
const pauseMs = 200;

/** The least ratio of the pause to the time of a check: checks take at most a twentieth of the time. */
const share = 20;

/**
 * Milliseconds for which files must stay unchanged before they count, because editors write in several steps. They are compiled meanwhile.
 */
const quietMs = 40;

export interface Watched {
  readonly paths: readonly string[];
  readonly cwd: string;
  readonly environment: string;
  /** Files beside the configurations: those of `include`, and of `--vars`. */
  readonly others: () => readonly string[];
}

/** Waits until the files have been unchanged for a moment; false if they have changed since the last check. */
export type IsQuiet = () => Promise<boolean>;

/**
 * Checks the files of a project repeatedly, because notifications of file systems differ between systems and are missing on shared folders.
 * A notification is only a hint to check at once. Replaced, removed and new files are changes, too. `changed` is called at once, and then
 * whenever the files have changed. It reads the files, and may use the result if `isQuiet` gives true. The loop ends by the signal.
 */
export async function followChanges(watched: Watched, changed: (isQuiet: IsQuiet) => Promise<void>, signal: AbortSignal): Promise<void> {
  using hints = new Hints();
  // The state is taken before the first reading, so that a file saved during it counts as a change.
  let state = stateOf(watched);
  let since = performance.now();
  let took = 0;
  const isSame = (): boolean => {
    const began = performance.now();
    const before = state;
    state = stateOf(watched);
    took = performance.now() - began;
    if (state.text === before.text) return true;
    since = began;
    hints.follow(state.files);
    return false;
  };
  const isQuiet: IsQuiet = async () => {
    const left = quietMs - (performance.now() - since);
    if (left > 0) await sleep(left, undefined, { signal }).catch(() => undefined);
    // Newly included files are checked from here on, and count as changed.
    return signal.aborted || isSame();
  };
  hints.follow(state.files);
  await changed(async () => true);
  while (await hints.wait(Math.max(pauseMs, took * share), signal)) if (!isSame()) await changed(isQuiet);
}

/** The state of the files of a project at one moment. */
interface State {
  /** The files with their times and sizes. */
  readonly text: string;
  readonly files: readonly string[];
}

function stateOf({ paths, cwd, environment, others }: Watched): State {
  try {
    const configs = [...findConfigs(paths, cwd), ...findModules(paths, cwd)].map(({ path }) => path);
    const files = [...configs, ...besides(paths, environment, cwd), ...others()];
    return { text: files.map(stamp).join("\n"), files };
  } catch (error) {
    // A folder may be missing, for a moment or for good. Other problems are reported by the compiler.
    if (error instanceof PathError || isMissing(error)) return { text: String(error), files: [] };
    throw error;
  }
}

function stamp(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? path : `${path} ${stats.mtimeMs} ${stats.ctimeMs} ${stats.size} ${stats.ino}`;
}

const isMissing = (error: unknown): boolean => ["ENOENT", "ENOTDIR"].includes(String(codeOf(error)));
