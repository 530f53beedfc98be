import { statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { findConfigs, findModules } from "../../1-read/files.ts";
import { PathError } from "../../1-read/path-error.ts";
import { besides } from "../project.ts";
import { Hints } from "./hints.ts";

/** How often the files are looked at, unless that takes long. */
const pauseMs = 200;

/** The part of the time that looking may take. */
const share = 20;

/** How long files must stay as they are before they count: editors write in several steps. They are compiled meanwhile. */
const quietMs = 40;

export interface Watched {
  readonly paths: readonly string[];
  readonly cwd: string;
  readonly environment: string;
  /** Files beside the configurations: those of `include`, and of `--vars`. */
  readonly others: () => readonly string[];
}

/** Waits until the files have been left alone for a moment; false when they have changed since this was last asked. */
export type IsQuiet = () => Promise<boolean>;

/**
 * Looks at the files of a project, again and again: what a file system tells by itself differs between systems, and is missing on shared
 * folders. Where it tells something, that is a hint to look at once; what has changed is only ever found by looking. Replaced, removed and
 * new files are changes like any other. Calls back at once, and then whenever the files have changed: whoever is called reads them, and may
 * use what it has read when it is quiet. Ends by the signal.
 */
export async function followChanges(watched: Watched, changed: (isQuiet: IsQuiet) => Promise<void>, signal: AbortSignal): Promise<void> {
  using hints = new Hints();
  // A file that is saved while the files are read the first time is a change.
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
    // Files that were included for the first time are looked at from now on, and count as changed.
    return signal.aborted || isSame();
  };
  hints.follow(state.files);
  await changed(async () => true);
  while (await hints.wait(Math.max(pauseMs, took * share), signal)) if (!isSame()) await changed(isQuiet);
}

/** The files of a project as they are at a moment. */
interface State {
  /** The files and when each was written. */
  readonly text: string;
  readonly files: readonly string[];
}

function stateOf({ paths, cwd, environment, others }: Watched): State {
  try {
    const configs = [...findConfigs(paths, cwd), ...findModules(paths, cwd)].map(({ path }) => path);
    const files = [...configs, ...besides(paths, environment, cwd), ...others()];
    return { text: files.map(stamp).join("\n"), files };
  } catch (error) {
    // A folder that is gone, for a moment or for good; anything else the compiler tells.
    if (error instanceof PathError || isMissing(error)) return { text: String(error), files: [] };
    throw error;
  }
}

function stamp(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? path : `${path} ${stats.mtimeMs} ${stats.ctimeMs} ${stats.size} ${stats.ino}`;
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
