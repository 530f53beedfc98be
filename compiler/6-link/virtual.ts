import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import type { OnResolveResult, Plugin } from "esbuild";
import type { PrintedModule } from "../5-print/index.ts";
import { InternalError } from "../diagnostics/diagnostic.ts";
import { hasQueries, noQueryReader, queryReader } from "./queries.ts";

/** Specifier of the entry of a link, and of the module that lists its configs. */
export const entryPoint = "pipewright:entry";
const configList = "pipewright:configs";

/** By source: the order in which the modules arrive never reaches the output. */
export function inOrder(modules: readonly PrintedModule[]): readonly PrintedModule[] {
  return modules.toSorted((a, b) => (a.file < b.file ? -1 : a.file > b.file ? 1 : 0));
}

/** What a link adds to the printed modules: the text of its entry, and constants for the module `pipewright:configs`. */
export interface Entry {
  readonly text: string;
  readonly constants: Readonly<Record<string, string>>;
}

/**
 * Serves the printed modules, the list of their configs and the entry to esbuild from memory. Files of the runtime are declared free of side effects,
 * so that a bundle carries only what its configs name.
 */
export function virtualModules(modules: readonly PrintedModule[], entry: Entry, root: string): Plugin {
  const texts = new Map([
    [entryPoint, entry.text],
    [configList, configsText(modules, entry)],
  ]);
  const withQueries = hasQueries(modules);
  if (!withQueries) texts.set(queryReader, noQueryReader);
  for (const module of modules) texts.set(specifierOf(module), `${module.code}\n${inlineMap(module.map)}`);
  const runtime = runtimeFolder(root);
  return {
    name: "pipewright",
    setup(build) {
      build.onResolve({ filter: /^pipewright:/ }, ({ path }) => ({ path, namespace: "virtual" }));
      build.onLoad({ filter: /^/, namespace: "virtual" }, ({ path }) => {
        const contents = texts.get(path);
        return contents === undefined ? { errors: [{ text: `no such module: ${path}` }] } : { contents, loader: "ts", resolveDir: root };
      });
      build.onResolve({ filter: /^#runtime\// }, ({ path }) => runtimeFile(join(runtime, path.slice("#runtime/".length))));
      build.onResolve({ filter: /^\.\.?\// }, ({ path, importer }) => {
        if (!isInside(runtime, importer)) return undefined;
        const file = join(dirname(importer), path);
        return withQueries || relative(runtime, file) !== queryReader ? runtimeFile(file) : { path: queryReader, namespace: "virtual" };
      });
    },
  };
}

const specifierOf = (module: PrintedModule): string => `pipewright:config/${module.file}`;

/** The module that the entry imports as `pipewright:configs`. */
function configsText(modules: readonly PrintedModule[], entry: Entry): string {
  const imports = inOrder(modules).map((module, i) => `import { config as config_${i + 1} } from ${JSON.stringify(specifierOf(module))};`);
  const constants = Object.entries(entry.constants).map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`);
  const list = modules.map((_, i) => `config_${i + 1}`).join(", ");
  return [...imports, ...constants, `export const configs = [${list}];`, ""].join("\n");
}

/** A source map as the comment that ends a module. */
export function inlineMap(map: string): string {
  return `//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString("base64")}\n`;
}

/** In a checkout the runtime is TypeScript beside us; the published package carries it built. */
function runtimeFolder(root: string): string {
  const found = [join(root, "runtime"), join(root, "dist", "runtime")].find((folder) => existsSync(folder));
  if (found === undefined) throw new InternalError("the runtime folder is missing from the package");
  return found;
}

function runtimeFile(path: string): OnResolveResult {
  const found = [path, path.replace(/\.ts$/, ".js")].find((file) => existsSync(file));
  return found === undefined ? { errors: [{ text: `no such runtime file: ${path}` }] } : { path: found, sideEffects: false };
}

function isInside(folder: string, file: string): boolean {
  return !relative(folder, file).startsWith("..") && file.startsWith(folder + sep);
}

/** The text of a file below `templates/`. */
export function template(root: string, name: string): string {
  return readFileSync(join(root, "templates", name), "utf8");
}
