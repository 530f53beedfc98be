import { type Live, loadLive } from "../7-link/live.ts";
import type { Threads } from "../testing/bench.ts";

/** The runtime in which tests are run, loaded when there is something to run; it outlives the versions of a project. */
export class Laboratory implements AsyncDisposable {
  readonly #root: string;
  #open: Promise<{ readonly live: Live; readonly threads: Threads }> | undefined;

  constructor(root: string) {
    this.#root = root;
  }

  open(): Promise<{ readonly live: Live; readonly threads: Threads }> {
    this.#open ??= loadLive(this.#root).then((live) => ({ live, threads: live.trials().openThreads() }));
    return this.#open;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#open)?.threads.of.close();
  }
}
