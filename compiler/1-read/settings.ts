import { statSync } from "node:fs";
import { join, matchesGlob, relative, sep } from "node:path";
import { readRegularSync } from "#runtime/files/regular-file.ts";
import { ownFile, readYaml } from "#runtime/formats/yaml.ts";
import { nearest } from "../diagnostics/nearest.ts";

/** Files of settings, in the order of their names: each holds a list of globs. */
const files = [
  { name: "pipewright.yaml", of: (value: unknown, fail: Fail) => ofProject(value, fail) },
  { name: "package.json", of: (value: unknown, fail: Fail) => ofPackage(value, fail) },
] as const;

/** Reports a mistake in a file of settings; it does not return. */
type Fail = (reason: string) => never;

const mostBytes = 1024 * 1024;

/** True for paths that the project's settings ask us to ignore. */
export type Ignores = (path: string) => boolean;

/**
 * The globs of `ignore` in `pipewright.yaml` and `package.json` of these folders; each is relative to its folder, `**` crosses folders, and
 * a matching folder is ignored with everything in it. `fail` gets the file and the reason when a file of settings cannot be used.
 */
export function ignores(folders: readonly string[], fail: (file: string, reason: string) => never): Ignores {
  const globs = [...new Set(folders)].flatMap((folder) =>
    files.flatMap(({ name, of }) => {
      const file = join(folder, name);
      return of(contentOf(file), (reason) => fail(file, reason)).map((glob) => ({ folder, glob: glob.replace(/^\.\/|\/$/g, "") }));
    }),
  );
  return (path) => globs.some(({ folder, glob }) => matches(relative(folder, path).split(sep).join("/"), glob));
}

/** A glob without a slash is the name of a file or a folder anywhere. */
const matches = (path: string, glob: string): boolean =>
  !path.startsWith("../") && (matchesGlob(path, glob) || (!glob.includes("/") && matchesGlob(path, `**/${glob}`)));

/** Reads a settings file; undefined for a missing file, and for text that is not YAML (the readers of the file report that). */
function contentOf(file: string): unknown {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats?.isFile() !== true || stats.size > mostBytes) return undefined;
  const read = readYaml(readRegularSync(file, mostBytes).toString("utf8"), ownFile);
  return "value" in read ? read.value : undefined;
}

/** A file of this name may also be a configuration, which has `interfaces` and no globs. */
function ofProject(value: unknown, fail: Fail): readonly string[] {
  if (!isMap(value) || "interfaces" in value || "interface" in value) return [];
  const unknown = Object.keys(value).find((key) => key !== "ignore" && !key.startsWith("x-"));
  if (unknown === undefined) return globsOf(value.ignore, fail);
  const near = nearest(unknown, ["ignore"]);
  return fail(`unknown key '${unknown}'${near === undefined ? "; it may have 'ignore', a list of globs" : ` (did you mean '${near}'?)`}`);
}

/** The globs are in `{"pipewright": {"ignore": […]}}`, or in `ignore` at the top level. */
function ofPackage(value: unknown, fail: Fail): readonly string[] {
  if (!isMap(value)) return [];
  const own = isMap(value.pipewright) ? value.pipewright.ignore : undefined;
  return globsOf(own ?? value.ignore, fail);
}

function globsOf(value: unknown, fail: Fail): readonly string[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.some((glob) => typeof glob !== "string" || glob === ""))
    return fail("'ignore' must be a list of globs");
  return value;
}

const isMap = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value);
