import { globSync } from "node:fs";
import { buildSync } from "esbuild";
import type { AnyFeature } from "#runtime/features/feature.ts";
import { row } from "./argument-table.ts";
import { notice } from "./feature-page.ts";

/**
 * reference/transforms/README.md: how each transform is compiled and run, with which packages, and within which bounds. `runtime` is the
 * folder of the sources.
 */
export function transformsPage(
  features: Readonly<Record<string, AnyFeature>>,
  operations: Readonly<Record<string, AnyFeature>>,
  runtime: string,
): string {
  const needs = needsOf(Object.keys(features), runtime);
  const lines = Object.entries({ ...features, ...operations })
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, feature]) => {
      const { packages, thread } = needs.get(name) ?? nothing;
      const way = Object.hasOwn(operations, name) ? "printed in place, with what is inside it" : wayOf(feature, thread);
      return row([`[${name}](${name}.md)`, way, [...packages].sort().join(", ") || "none", feature.bounds ?? "those of its data"]);
    });
  const head = [row(["Name", "Compiled to", "Packages", "Bounds"]), row(["---", "---", "---", "---"])];
  return `${notice}\n\n# How transforms run\n\n${explanation}\n\n${[...head, ...lines].join("\n")}\n`;
}

const explanation = `A printed module calls one function of the runtime for each transform; the interpreter calls the same. *Prepared* says that a static argument is
parsed once, when the module is loaded, and that a mistake in it is found when compiling. A bundle carries a package only when a configuration uses a transform that
needs it; paths beyond names, indexes and wildcards (RFC 9535) need json-p3 and re2js besides. Threads have bounds of memory and time of their own; a timeout of the action ends their work.`;

function wayOf({ prepare, async }: AnyFeature, thread: boolean): string {
  const how = thread ? "a call that waits for a thread" : async === true ? "a call that waits" : "a call";
  return prepare === undefined ? how : `${how}, prepared`;
}

/** The needs of a feature at run time: npm packages, and whether a thread runs part of it. */
interface Needs {
  readonly packages: ReadonlySet<string>;
  readonly thread: boolean;
}

const nothing: Needs = { packages: new Set(), thread: false };

/**
 * The needs by the name of the transform, as in a bundle, from which unused code is left out. The parser of JSONPath queries is left out
 * here, because paths alone decide whether a bundle needs it.
 */
function needsOf(names: readonly string[], runtime: string): ReadonlyMap<string, Needs> {
  const kinds = globSync("threads/kinds/*.code.ts", { cwd: runtime }).map((file) => file.replace(".code", ""));
  const { metafile } = buildSync({
    absWorkingDir: runtime,
    entryPoints: [...names.map((name) => `features/transforms/${name}.ts`), ...kinds],
    outdir: runtime,
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "node",
    target: "node24",
    packages: "external",
    external: ["./json-path.ts"],
    logLevel: "silent",
  });
  const outputs = Object.values(metafile.outputs);
  const outputOf = (file: string) => outputs.find(({ entryPoint }) => entryPoint === file);
  const packagesOf = (file: string): readonly string[] =>
    (outputOf(file)?.imports ?? []).flatMap(({ path }) => (/^(?:node:|\.)/.test(path) ? [] : [path]));
  const threadsOf = (file: string): readonly string[] =>
    Object.keys(outputOf(file)?.inputs ?? {}).flatMap((input) => (input.endsWith(".code.ts") ? [input.replace(".code", "")] : []));
  return new Map(
    names.map((name) => {
      const file = `features/transforms/${name}.ts`;
      const threads = threadsOf(file);
      const packages = [file, ...threads].flatMap(packagesOf).map((path) => path.split("/", path.startsWith("@") ? 2 : 1).join("/"));
      return [name, { packages: new Set(packages), thread: threads.length > 0 }];
    }),
  );
}
