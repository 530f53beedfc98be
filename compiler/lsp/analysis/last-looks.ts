import { LastLook } from "./earlier.ts";
import type { Ask } from "./message.ts";

/** Projects whose last look is kept: those that somebody works at. */
const mostProjects = 4;

/** The last looks at several projects. */
export class LastLooks {
  readonly #looks = new Map<string, LastLook>();

  /** The memory of the project for this look, which begins with the findings of the look before. */
  of({ folder, paths, environment }: Pick<Ask, "folder" | "paths" | "environment">): LastLook {
    const key = JSON.stringify([folder, paths, environment]);
    const next = this.#looks.get(key)?.next() ?? new LastLook();
    this.#looks.delete(key);
    this.#looks.set(key, next);
    for (const oldest of [...this.#looks.keys()].slice(0, -mostProjects)) this.#looks.delete(oldest);
    return next;
  }
}
