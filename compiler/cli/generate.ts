import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { PathError } from "../1-read/path-error.ts";
import type { PrintedModule } from "../6-print/index.ts";
import { writeWhole } from "../7-link/write.ts";
import { documentOf, type Planned, printAll } from "../pipeline.ts";
import { type DocsFlags, documentOptions } from "./docs-flags.ts";
import { abandoned, removeModule, textOf, unifiedDiff } from "./generated-files.ts";
import { refuseLink } from "./links.ts";
import { environmentOf, failed, planProject, refuseEnvironment, sayEnvironment, type Terminal } from "./project.ts";
import { status } from "./status.ts";

export interface GenerateOptions extends DocsFlags {
  readonly out: string;
  readonly env?: string;
  readonly check?: boolean;
  /** The file for the typed client. */
  readonly client?: string;
  readonly quiet?: boolean;
}

/**
 * Writes the typed modules, and removes modules whose configuration no longer exists. `--check` changes nothing, prints the changes as a
 * unified diff, and ends with 2 if there are any.
 */
export async function generate(paths: readonly string[], options: GenerateOptions, terminal: Terminal): Promise<number> {
  const { out, check, quiet } = options;
  const { cwd } = terminal;
  const environment = environmentOf(paths, options, terminal);
  refuseEnvironment(environment);
  if (quiet !== true) sayEnvironment(environment, options, terminal);
  const planned = planProject(paths, terminal, environment);
  if (failed(planned, terminal)) return status.failed;
  const modules = await printAll(planned);
  refuseClashes(modules);
  const document = documentOf(planned, documentOptions(options));
  const files = modules.map(({ name, code }) => ({ name: `${name}.ts`, code }));
  const fresh = document === undefined ? files : [...files, { name: "openapi.json", code: document }];
  const removals = abandoned({ cwd, paths, out }, fresh).map((name) => ({ name, code: undefined }));
  for (const { name } of fresh) refuseLink({ cwd, folder: out, file: join(out, name), path: resolve(cwd, out, name) });
  const stale = [...fresh, ...removals]
    .map(({ name, code }) => ({ file: join(out, name), path: resolve(cwd, out, name), code }))
    .concat(options.client === undefined ? [] : await clientFile(options.client, planned, { cwd, paths }))
    .map((each) => ({ ...each, old: textOf(each.path) }))
    .filter(({ old, code }) => old !== code);
  for (const { file, path, old, code } of stale) {
    if (check === true) {
      terminal.out(unifiedDiff(file, old, code));
      continue;
    }
    if (code === undefined) removeModule(path, resolve(cwd, out));
    else writeWhole(path, code);
    if (quiet !== true) terminal.err(`${code === undefined ? "removed" : "wrote"} ${file}\n`);
  }
  if (check === true) return stale.length > 0 ? status.difference : status.done;
  if (stale.length === 0 && quiet !== true) terminal.err(`${modules.length} modules up to date\n`);
  return status.done;
}

/** The working directory of the command, and its paths. */
interface Place {
  readonly cwd: string;
  readonly paths: readonly string[];
}

/** The name of a file below the path where it was found, which is the same from every working directory. */
function nameFrom({ cwd, paths }: Place, file: string): string {
  const whole = resolve(cwd, file);
  const names = paths.map((path) => relative(resolve(cwd, path), whole));
  const inside = names.find((name) => !name.startsWith("..") && !isAbsolute(name));
  return (inside || basename(file)).replaceAll(sep, "/");
}

/** The typed client of all interfaces with a route. */
async function clientFile(file: string, { plans }: Planned, at: Place) {
  const { client, isClient } = await import("../client/index.ts");
  const path = resolve(at.cwd, file);
  refuseLink({ cwd: at.cwd, folder: dirname(file), file, path });
  const old = textOf(path);
  if (old !== undefined && old !== "" && !isClient(old))
    throw new PathError(file, "pipewright has not written this file, and does not replace it; name another file");
  const code = await client(plans, (config) => nameFrom(at, config));
  if (code === undefined) throw new PathError(file, "no client is written, since no interface of these configurations has a route");
  return [{ file, path, code }];
}

/** Refuses files such as `a.yml` and `a.yaml` beside each other, which have the same module name. */
function refuseClashes(modules: readonly PrintedModule[]): void {
  for (const [name, [first, second]] of Map.groupBy(modules, ({ name }) => name)) {
    if (second !== undefined) throw new PathError(second.file, `its module ${name}.ts is that of ${first?.file}; rename one of them`);
  }
}
