import { visibleLine } from "#runtime/value/visible.ts";

/** A path of the command line that cannot be used: wrong usage, exit status 3. */
export class PathError extends Error {
  readonly path: string;
  constructor(path: string, reason: string) {
    super(`${visibleLine(path)}: ${reason}`);
    this.name = "PathError";
    this.path = path;
  }
}
