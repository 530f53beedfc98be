import type { Terminal } from "../project.ts";
import type { DevTests, InterfaceCoverage, TestsRun } from "./tests.ts";

/** The tests of a project, which are loaded when the page needs them, so that `dev` starts without code that only tests need. */
export class LateTests implements AsyncDisposable {
  readonly #load: () => Promise<DevTests>;
  #tests: Promise<DevTests> | undefined;

  constructor(paths: readonly string[], flags: { readonly env?: string }, terminal: Terminal) {
    this.#load = async () => new (await import("./tests.ts")).DevTests(paths, flags, terminal);
  }

  async run(): Promise<TestsRun> {
    this.#tests ??= this.#load();
    return (await this.#tests).run();
  }

  async coverageOf(...of: Parameters<DevTests["coverageOf"]>): Promise<InterfaceCoverage | undefined> {
    return (await this.#tests)?.coverageOf(...of);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#tests)?.[Symbol.asyncDispose]();
  }
}
