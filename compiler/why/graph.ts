import { readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { build, type Metafile } from "esbuild";
import { commonOptions } from "../7-link/bundle.ts";
import { linkedPackage } from "../7-link/linked.ts";

/** The imports of each file. Files of the runtime are named as in a checkout: `runtime/value/json.ts`. */
export type Graph = ReadonlyMap<string, readonly string[]>;

/**
 * All files that the given files import, directly or through others, and the given files. Files in `stops` are left out, and their imports
 * are not followed.
 */
export function reach(graph: Graph, from: Iterable<string>, stops: ReadonlySet<string> = new Set()): ReadonlySet<string> {
  const seen = new Set<string>();
  const open = [...from];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (seen.has(file) || stops.has(file)) continue;
    seen.add(file);
    open.push(...(graph.get(file) ?? []));
  }
  return seen;
}

/** The graph of a bundle, and the size of each of its files in it, in bytes. */
export function bundleGraph({ inputs, outputs }: Metafile): { readonly graph: Graph; readonly bytes: ReadonlyMap<string, number> } {
  const graph = new Map(Object.entries(inputs).map(([file, { imports }]) => [ownName(file), imports.map(({ path }) => ownName(path))]));
  const parts = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  return { graph, bytes: new Map(parts.map(([file, { bytesInOutput }]) => [ownName(file), bytesInOutput])) };
}

/** A bundle names our files `pipewright/…`; in a published package the runtime is JavaScript. */
const ownName = (file: string): string => file.replace(/^pipewright\//, "").replace(/^(runtime\/.*)\.js$/, "$1.ts");

/**
 * The graph of the whole runtime, with all functions that a printed module may call. Packages are leaves with their names, and are not
 * read. A thread belongs to the file that names it.
 */
export async function runtimeGraph(): Promise<Graph> {
  const { folder } = linkedPackage();
  const threads = readdirSync(join(folder, "runtime", "threads", "kinds"))
    .filter((file) => /\.[jt]s$/.test(file) && !/\.(?:code|d)\.[jt]s$/.test(file))
    .map((file) => file.replace(/\.js$/, ".ts"));
  const entries = ["printed/index.ts", "process/program.ts", ...threads.map((file) => `threads/kinds/${file}`)];
  const { metafile } = await build({
    ...commonOptions(folder, entries.map((file, i) => `export * as m${i} from "#runtime/${file}";`).join("\n")),
    format: "esm",
    metafile: true,
    plugins: [
      {
        name: "packages-outside",
        setup: ({ onResolve }) =>
          onResolve({ filter: /^[^.#/\\]/ }, ({ path, kind }) => (kind === "entry-point" ? undefined : { path, external: true })),
      },
    ],
  });
  const graph = new Map(
    Object.entries(metafile.inputs).map(([file, { imports }]) => [
      below(folder, file),
      imports.map(({ path, external }) => (external === true ? packageOf(path) : below(folder, path))),
    ]),
  );
  for (const file of threads) {
    const code = `runtime/threads/kinds/${file.replace(/\.ts$/, ".code.ts")}`;
    graph.set(code, [...(graph.get(code) ?? []), `runtime/threads/kinds/${file}`]);
  }
  return graph;
}

/** The begin of the name of a package in the graph. */
const packagePrefix = "npm:";

const packageOf = (specifier: string): string => {
  const [scope = "", name = ""] = specifier.split("/");
  return `${packagePrefix}${scope.startsWith("@") ? `${scope}/${name}` : scope}`;
};

/** Packages of npm among these files, sorted. */
export const packagesIn = (files: Iterable<string>): readonly string[] =>
  [...files]
    .filter((file) => file.startsWith(packagePrefix) && !file.startsWith(`${packagePrefix}node:`))
    .map((file) => file.slice(packagePrefix.length))
    .sort();

const below = (folder: string, file: string): string => ownName(relative(folder, join(folder, file)).split(sep).join("/"));
