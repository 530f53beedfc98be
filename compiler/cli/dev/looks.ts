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
  /** The variables that runs read: one object, whose content changes with the files. */
  readonly variables: Record<string, Settings["variables"][string]>;
  /** Reads the files of variables again. */
  readonly read: () => Promise<Pick<Settings, "variables">>;
  /** Called once the first version is served, or could not be. */
  readonly announce: () => void;
}

/** Looks at the files of a project, one look after the other: a key may ask for one while the files have changed. */
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

  /** The files of `include`, as the last look has found them. */
  get included(): readonly string[] {
    return this.#included;
  }

  /** Compiles the files until they have stayed as they are, and serves the result. */
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
    // Behind the answer to the save, and before somebody saves again.
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
  for (const [name, value] of Object.entries(now)) put(variables as never, name, value as never); // a map like any other
}
