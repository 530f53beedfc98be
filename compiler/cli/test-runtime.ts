import { type Live, loadLive } from "../7-link/live.ts";
import type { Threads } from "../testing/bench.ts";
import type { Terminal } from "./project.ts";

/** The runtime in which tests run. It is loaded when it is needed, and is kept for later versions of a project. */
export class TestRuntime implements AsyncDisposable {
  readonly #terminal: Terminal;
  #open: Promise<{ readonly live: Live; readonly threads: Threads }> | undefined;

  constructor(terminal: Terminal) {
    this.#terminal = terminal;
  }

  open(): Promise<{ readonly live: Live; readonly threads: Threads }> {
    const { cwd, runtime } = this.#terminal;
    this.#open ??= loadLive(cwd, runtime?.()).then((live) => ({ live, threads: live.trials().openThreads() }));
    return this.#open;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const [opened] = await Promise.allSettled([this.#open]);
    // The caller of `open` has already got a failure to open.
    if (opened.status === "fulfilled") await opened.value?.threads.of.close();
  }
}
