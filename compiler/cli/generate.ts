import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { PathError } from "../1-read/files.ts";
import type { PrintedModule } from "../5-print/index.ts";
import { writeWhole } from "../6-link/write.ts";
import { documentOf, printAll } from "../pipeline.ts";
import { type DocsFlags, documentOptions } from "./docs-flags.ts";
import { environmentOf, failed, planProject, refuseEnvironment, status, type Terminal } from "./project.ts";

export interface GenerateOptions extends DocsFlags {
  readonly out: string;
  readonly env?: string;
  readonly check?: boolean;
  readonly quiet?: boolean;
}

/** Writes the typed modules. `--check` writes nothing and ends with 2 when a file on disk differs. */
export async function generate(paths: readonly string[], options: GenerateOptions, terminal: Terminal): Promise<number> {
  const { out, check, quiet } = options;
  const environment = environmentOf(options, terminal);
  refuseEnvironment(environment);
  const planned = planProject(paths, terminal, environment);
  if (failed(planned, terminal)) return status.failed;
  const modules = await printAll(planned);
  refuseClashes(modules);
  const stale: string[] = [];
  const document = documentOf(planned, documentOptions(options));
  const files = modules.map(({ name, code }) => ({ name: `${name}.ts`, code }));
  for (const { name, code } of document === undefined ? files : [...files, { name: "openapi.json", code: document }]) {
    const file = join(out, name);
    const path = resolve(terminal.cwd, file);
    const old = existsSync(path) ? readFileSync(path, "utf8") : undefined;
    if (old === code) continue;
    stale.push(file);
    if (check === true) terminal.out(difference(file, old ?? "", code));
    else {
      writeWhole(path, code);
      if (quiet !== true) terminal.err(`wrote ${file}\n`);
    }
  }
  if (check === true) return stale.length > 0 ? status.difference : status.done;
  if (stale.length === 0 && quiet !== true) terminal.err(`${modules.length} modules up to date\n`);
  return status.done;
}

/** `a.yml` and `a.yaml` beside each other have one module name between them. */
function refuseClashes(modules: readonly PrintedModule[]): void {
  for (const [name, [first, second]] of Map.groupBy(modules, ({ name }) => name)) {
    if (second !== undefined) throw new PathError(second.file, `its module ${name}.ts is that of ${first?.file}; rename one of them`);
  }
}

/** The changed middle of two texts as a unified hunk: enough to see what a fresh `generate` would change. */
function difference(file: string, old: string, fresh: string): string {
  const before = old.split("\n");
  const after = fresh.split("\n");
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const removed = before.slice(start, before.length - end);
  const added = after.slice(start, after.length - end);
  const head = `--- ${file}\n+++ ${file} (generated now)\n@@ -${start + 1},${removed.length} +${start + 1},${added.length} @@\n`;
  return `${head}${removed.map((line) => `-${line}\n`).join("")}${added.map((line) => `+${line}\n`).join("")}`;
}
