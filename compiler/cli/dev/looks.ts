import type { Settings } from "#runtime/process/settings/options.ts";
import { put } from "#runtime/value/json.ts";
import { LastLook } from "../../memory.ts";
import type { Terminal } from "../project.ts";
import type { IsQuiet } from "./changes.ts";
import { attempt, type Look, type LookOptions } from "./project.ts";
import type { ServedProject } from "./served.ts";
import { youngCollector } from "./young-collector.ts";

export interface Looked {
  readonly paths: readonly string[];
  readonly options: Omit<LookOptions, "memory">;
  readonly project: ServedProject;
  /** The variables that runs read. It is always the same object; its content changes with the files. */
  readonly variables: Record<string, Settings["variables"][string]>;
  /** Reads the files of variables again. */
  readonly read: () => Promise<Pick<Settings, "variables">>;
  /** Called when the first version is served, or could not be served. */
  readonly announce: () => void;
}

/**
 * Compiles the files of a project again, one attempt after the other: a key may request one while a change of the files already causes one.
 */
export class Looks {
  readonly #looked: Looked;
  readonly #terminal: Terminal;
  readonly #memory = new LastLook();
  readonly #collectYoung = youngCollector();
  #included: readonly string[] = [];
  #isFirst = true;
  #last = Promise.resolve();

  constructor(looked: Looked, terminal: Terminal) {
    this.#looked = looked;
    this.#terminal = terminal;
  }

  /** The files of `include` that the last attempt has found. */
  get included(): readonly string[] {
    return this.#included;
  }

  /** Compiles the files until they stay unchanged, and serves the result. */
  look(isQuiet: IsQuiet): Promise<void> {
    this.#last = this.#last.then(() => this.#lookOnce(isQuiet));
    return this.#last;
  }

  async #lookOnce(isQuiet: IsQuiet): Promise<void> {
    const { project, variables, read, announce } = this.#looked;
    let trial = await this.#attempt();
    while (!(await isQuiet())) trial = await this.#attempt();
    if (!this.#isFirst && trial.compiled !== undefined) exchange(variables, (await read()).variables);
    await project.take(trial, variables);
    if (this.#isFirst) announce();
    this.#isFirst = false;
    // The collection runs after the result of a save is shown, and probably before the next save.
    setImmediate(this.#collectYoung);
  }

  async #attempt(): Promise<Look> {
    const { paths, options } = this.#looked;
    const trial = await attempt(paths, { ...options, memory: this.#memory }, this.#terminal);
    this.#included = trial.included;
    return trial;
  }
}

function exchange(variables: Looked["variables"], now: Settings["variables"]): void {
  for (const name of Object.keys(variables)) delete variables[name];
  for (const [name, value] of Object.entries(now)) put(variables as never, name, value as never); // the record takes any name
}
