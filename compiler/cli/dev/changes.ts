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

/** How long files must stay as they are before they count: editors write in several steps. */
const quietMs = 30;

export interface Watched {
  readonly paths: readonly string[];
  readonly cwd: string;
  readonly environment: string;
  /** Files beside the configurations: those of `include`, and of `--vars`. */
  readonly others: () => readonly string[];
}

/**
 * Looks at the files of a project, again and again: what a file system tells by itself differs between systems, and is missing on shared
 * folders. Where it tells something, that is a hint to look at once; what has changed is only ever found by looking. Replaced, removed and
 * new files are changes like any other. Calls back at once, and then whenever the files have changed and been left alone for a moment; ends
 * by the signal.
 */
export async function followChanges(watched: Watched, changed: () => Promise<void>, signal: AbortSignal): Promise<void> {
  using hints = new Hints();
  const wait = (ms: number): Promise<boolean> => sleep(ms, true, { signal }).catch(() => false);
  // A file that is saved while the files are read the first time is a change.
  let state = stateOf(watched);
  let took = 0;
  hints.follow(state.files);
  await changed();
  while (await hints.wait(Math.max(pauseMs, took * share), signal)) {
    const began = performance.now();
    let now = stateOf(watched);
    took = performance.now() - began;
    if (now.text === state.text) continue;
    for (let before = ""; before !== now.text; ) {
      before = now.text;
      if (!(await wait(quietMs))) return;
      now = stateOf(watched);
    }
    // The new version may include other files. The next look finds them, and takes that for a change, too.
    state = now;
    hints.follow(state.files);
    await changed();
  }
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
