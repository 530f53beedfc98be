import { LastLook } from "../../memory.ts";
import type { Ask } from "./message.ts";

/** The number of projects whose last analysis is kept: the ones that were edited last. */
const mostProjects = 4;

/** The last analyses of several projects. */
export class LastLooks {
  readonly #looks = new Map<string, LastLook>();

  /** The memory of a project, with the results of its last analysis. */
  of({ folder, paths, environment }: Pick<Ask, "folder" | "paths" | "environment">): LastLook {
    const key = JSON.stringify([folder, paths, environment]);
    const last = this.#looks.get(key) ?? new LastLook();
    this.#looks.delete(key);
    this.#looks.set(key, last);
    for (const oldest of [...this.#looks.keys()].slice(0, -mostProjects)) this.#looks.delete(oldest);
    return last;
  }
}
