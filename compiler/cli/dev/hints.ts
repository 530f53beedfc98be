import { type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** Folders of which a file system is asked to tell: others are only looked at. */
const mostFolders = 1_000;

/**
 * Hints that files have changed. A system may give none of a change, several, or one that means nothing, and a folder that cannot be
 * watched gives none at all.
 */
export class Hints implements Disposable {
  readonly #watchers = new Map<string, FSWatcher>();
  #names: ReadonlySet<string> = new Set();
  #isHinted = false;
  #end: () => void = () => undefined;

  /** Listens to these files, to new configurations beside them, and to nothing else any more. */
  follow(files: readonly string[]): void {
    this.#names = new Set(files.map((file) => basename(file)));
    const folders = new Set([...new Set(files.map((file) => dirname(file)))].slice(0, mostFolders));
    for (const folder of [...this.#watchers.keys()].filter((each) => !folders.has(each))) this.#leave(folder);
    for (const folder of folders) if (!this.#watchers.has(folder)) this.#listen(folder);
  }

  /** Waits for a hint, and at most so long; false when the signal ends it. A hint that came while nobody waited counts. */
  async wait(ms: number, signal: AbortSignal): Promise<boolean> {
    const hint = new AbortController();
    this.#end = () => hint.abort();
    if (!this.#isHinted) await sleep(ms, undefined, { signal: AbortSignal.any([signal, hint.signal]) }).catch(() => undefined);
    this.#isHinted = false;
    return !signal.aborted;
  }

  /** A service may write to its own folder all the time: only names that can be ours are worth a look. */
  #hear(name: string | null): void {
    if (name !== null && !this.#names.has(name) && !/\.ya?ml$/.test(name)) return;
    this.#isHinted = true;
    this.#end();
  }

  #listen(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => {
        // A folder that is removed says its own name, and another one may come in its place.
        if (name === basename(folder)) this.#leave(folder);
        this.#hear(name);
      });
      watcher.on("error", () => this.#leave(folder));
      this.#watchers.set(folder, watcher);
    } catch {
      // The folder is gone, the system watches no more of them, or none at all: the files are looked at all the same.
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
