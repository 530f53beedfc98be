import { execFileSync } from "node:child_process";
import { PathError } from "../1-read/path-error.ts";

/** A file of a revision. */
export interface Stored {
  /** The path below the requested folder; empty for a requested file. */
  readonly name: string;
  readonly text: () => string;
}

/** The most bytes that git may answer with. */
const largest = 67_108_864;

/** True for `REVISION:PATH`, but not for `C:\path`. */
export const isRevision = (text: string): boolean => /^[^:]{2,}:/.test(text);

/**
 * The files of `REVISION:PATH`, read into memory from the objects of git: nothing is checked out, and neither hooks nor filters of the
 * repository run. A path is relative to the repository, or with `./` in front to the working directory. Undefined for a path that is
 * neither folder nor file.
 */
export function filesOf(given: string, cwd: string): readonly Stored[] {
  // Git itself does not accept `.` for the working directory.
  const revision = given.replace(/:\.$/, ":./");
  if (revision.startsWith("-")) throw new PathError(revision, "no revision begins with a hyphen");
  const type = git(cwd, revision, ["cat-file", "-t", revision]).trim();
  const blob = (name: string): string => git(cwd, revision, ["cat-file", "blob", name]);
  if (type === "blob") return [{ name: "", text: () => blob(revision) }];
  if (type !== "tree") throw new PathError(revision, `is a ${type} of git; name a file or a folder, such as HEAD~1:api`);
  const listed = git(cwd, revision, ["ls-tree", "-r", "-z", revision]).split("\0");
  return listed.flatMap((line) => {
    const [, mode = "", id = "", name = ""] = /^(\d+) blob ([0-9a-f]+)\t(.+)$/s.exec(line) ?? [];
    // Symbolic links have the mode 120000: they would lead out of the revision.
    return mode.startsWith("100") ? [{ name, text: () => blob(id) }] : [];
  });
}

/** Options of git: no pager, no hook, no file monitor of the repository, and no download of missing objects. */
const quiet: readonly string[] = ["--no-pager", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"];

function git(cwd: string, revision: string, args: readonly string[]): string {
  try {
    const env = { ...process.env, GIT_NO_LAZY_FETCH: "1", GIT_OPTIONAL_LOCKS: "0", GIT_TERMINAL_PROMPT: "0" };
    return execFileSync("git", [...quiet, ...args], { cwd, env, maxBuffer: largest, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  } catch (error) {
    throw new PathError(revision, reasonOf(error));
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) throw error;
  if ("code" in error && error.code === "ENOENT") return "git is not installed";
  const stderr = "stderr" in error ? String(error.stderr).trim() : "";
  return stderr === ""
    ? "git cannot read it"
    : stderr
        .replace(/^fatal: /, "")
        .split("\n", 1)
        .join("");
}
