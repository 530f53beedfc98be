import { LastLook } from "../../memory.ts";
import type { Ask } from "./message.ts";

/** Projects whose last look is kept: those that somebody works at. */
const mostProjects = 4;

/** The last looks at several projects. */
export class LastLooks {
  readonly #looks = new Map<string, LastLook>();

  /** The memory of the project, with the findings of the look before. */
  of({ folder, paths, environment }: Pick<Ask, "folder" | "paths" | "environment">): LastLook {
    const key = JSON.stringify([folder, paths, environment]);
    const last = this.#looks.get(key) ?? new LastLook();
    this.#looks.delete(key);
    this.#looks.set(key, last);
    for (const oldest of [...this.#looks.keys()].slice(0, -mostProjects)) this.#looks.delete(oldest);
    return last;
  }
}
