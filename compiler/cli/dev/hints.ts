import { type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** The most folders that are watched; files in other folders are only checked regularly. */
const mostFolders = 1_000;

/**
 * Hints that files have changed. For one change a system may give no hint, several hints, or a wrong one. A folder that cannot be watched
 * gives none.
 */
export class Hints implements Disposable {
  readonly #watchers = new Map<string, FSWatcher>();
  #names: ReadonlySet<string> = new Set();
  #isHinted = false;
  #end: () => void = () => undefined;

  /** Watches these files and new configurations beside them, and stops watching other folders. */
  follow(files: readonly string[]): void {
    this.#names = new Set(files.map((file) => basename(file)));
    const folders = new Set([...new Set(files.map((file) => dirname(file)))].slice(0, mostFolders));
    for (const folder of [...this.#watchers.keys()].filter((each) => !folders.has(each))) this.#leave(folder);
    for (const folder of folders) if (!this.#watchers.has(folder)) this.#listen(folder);
  }

  /** Waits for a hint, for at most `ms` milliseconds; false when the signal ends the waiting. A hint since the last call counts, too. */
  async wait(ms: number, signal: AbortSignal): Promise<boolean> {
    const hint = new AbortController();
    this.#end = () => hint.abort();
    if (!this.#isHinted) await sleep(ms, undefined, { signal: AbortSignal.any([signal, hint.signal]) }).catch(() => undefined);
    this.#isHinted = false;
    return !signal.aborted;
  }

  /** Notes a hint. A service may often write to its own folder, so only names of followed files and of YAML files count. */
  #hear(name: string | null): void {
    if (name !== null && !this.#names.has(name) && !/\.ya?ml$/.test(name)) return;
    this.#isHinted = true;
    this.#end();
  }

  #listen(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        // A removed folder reports its own name. It is no longer watched, because a new folder may replace it.
        if (name === basename(folder)) this.#leave(folder);
        this.#hear(name);
      });
      watcher.on("error", () => this.#leave(folder));
      this.#watchers.set(folder, watcher);
    } catch {
      // The folder is missing, or the system cannot watch more folders. The files are then only checked regularly.
    }
  }

  #leave(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }

  [Symbol.dispose](): void {
    for (const folder of [...this.#watchers.keys()]) this.#leave(folder);
  }
}
