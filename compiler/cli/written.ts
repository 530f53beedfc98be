import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { PathError } from "../1-read/path-error.ts";
import { writeWhole } from "../7-link/write.ts";
import type { Terminal } from "./project.ts";

/** Writes the output of a command to a named file, but never over a configuration or a file of tests. */
export function writeReport(file: string, text: string, what: string, { cwd }: Pick<Terminal, "cwd">): void {
  const path = resolve(cwd, file);
  if (/\.ya?ml$/.test(path) && existsSync(path)) throw new PathError(file, `${what} is not written over a YAML file; name another file`);
  writeWhole(path, text);
}
