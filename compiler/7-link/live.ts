import { readdirSync } from "node:fs";
import Module from "node:module";
import { join, resolve, sep } from "node:path";
import { build, type Plugin } from "esbuild";
import type { Config } from "#runtime/run/interface.ts";
import type { Documentation } from "#runtime/triggers/documentation.ts";
import type { PrintedModule } from "../6-print/index.ts";
import { InternalError } from "../diagnostics/diagnostic.ts";
import { commonOptions, outputOf } from "./bundle.ts";
import { linkedPackage } from "./linked.ts";
import { absoluteSources, importEntry } from "./load.ts";
import { inlineMap, virtualModules } from "./virtual.ts";
import { lateWorkers, workerTextNow } from "./workers.ts";

/** A version of a project, as a process that serves it sees it. */
export interface LiveVersion {
  readonly configs: readonly Config[];
  readonly docs: Documentation | undefined;
}

/** The functions of the runtime that the command itself calls. */
interface Exports {
  readonly serve: typeof import("#runtime/process/server.ts").serve;
  readonly stopped: typeof import("#runtime/process/until-signal.ts").stopped;
  readonly htmlReply: typeof import("#runtime/triggers/pages.ts").htmlReply;
  /** The console, when it is first asked for. */
  readonly consoles: () => typeof import("#runtime/console/console.ts");
  /** Runs of interfaces in worlds of stubs. */
  readonly trials: () => typeof import("#runtime/testing/trial.ts");
}

/** The whole runtime, and a way to run printed modules with it: one version after the other, each forgotten when its last run has ended. */
export interface Live extends Exports {
  readonly evaluate: (modules: readonly PrintedModule[], docs: string | undefined) => Promise<LiveVersion>;
}

/** The values that this file and the link share. */
interface Inside {
  readonly runtime: Modules;
  readonly texts: { of?: (file: string) => string };
}

type Modules = Readonly<Record<string, () => unknown>>;

/** The runtime, linked and loaded. It knows no project. */
export type LiveRuntime = Exports & Inside;

export async function loadRuntime(): Promise<LiveRuntime> {
  const own = linkedPackage().folder;
  const loaded = await importEntry<LiveRuntime>(entryText(), own);
  loaded.texts.of = (file) => workerTextNow(own, file);
  return loaded;
}

/**
 * Loads the runtime once: versions share its classes, so that what stays open between them (state, pools, agents) serves them all. Stacks
 * show paths below `root`.
 */
export async function loadLive(root: string, loading: Promise<LiveRuntime> = loadRuntime()): Promise<Live> {
  const { runtime, texts: _, ...loaded } = await loading;
  return { ...loaded, evaluate: (modules, docs) => evaluate(runtime, modules, docs, root) };
}

/** Everything that a printed module may import. */
function entryText(): string {
  const folder = join(linkedPackage().folder, "runtime");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((file) => file.split(sep).join("/"))
    // The code of threads is no part of this one.
    .filter((file) => /\.[jt]s$/.test(file) && (!file.startsWith("threads/kinds/") || /\.code\.[jt]s$/.test(file)))
    .map((file) => file.replace(/\.js$/, ".ts"))
    .sort();
  return [
    // Each of these modules runs, with the packages that it needs, when a version first asks for it.
    `export const runtime = { ${files.map((file) => `"#runtime/${file}": () => require("#runtime/${file}")`).join(", ")} };`,
    'export { serve } from "#runtime/process/server.ts";',
    'export { stopped } from "#runtime/process/until-signal.ts";',
    `export { texts } from "${lateWorkers}";`,
    'export { htmlReply } from "#runtime/triggers/pages.ts";',
    'export const consoles = () => require("#runtime/console/console.ts");',
    'export const trials = () => require("#runtime/testing/trial.ts");',
  ].join("\n");
}

async function evaluate(runtime: Modules, modules: readonly PrintedModule[], docs: string | undefined, root: string): Promise<LiveVersion> {
  const own = linkedPackage();
  const entry = { text: 'export { configs, docs } from "pipewright:configs";', constants: {}, docs };
  const result = await build({
    ...commonOptions(own.folder),
    format: "cjs",
    supported: { "dynamic-import": false },
    plugins: [runtimeOutside, virtualModules(modules, entry, own.folder)],
  });
  const { code, map } = outputOf(result);
  const sources = new Set(modules.flatMap(({ file, sources }) => [file, ...sources]));
  const mapped = absoluteSources(map, (source) => resolve(sources.has(source) ? root : own.folder, source));
  return run(`${code}${inlineMap(mapped)}`, join(root, "version.cjs"), runtime);
}

const runtimeOutside: Plugin = {
  name: "runtime-outside",
  setup(build) {
    build.onResolve({ filter: /^#runtime\// }, ({ path }) => ({ path, external: true }));
  },
};

/** A module that is kept only by its users; an imported module would stay in memory for ever. */
interface Evaluated {
  filename: string;
  require: (name: string) => unknown;
  readonly exports: unknown;
  readonly _compile: (code: string, filename: string) => unknown;
}

function run(code: string, filename: string, runtime: Modules): LiveVersion {
  // Node itself loads files of CommonJS by this class, which applies the source map to stacks.
  const module = new Module(filename) as unknown as Evaluated;
  module.filename = filename;
  module.require = (name) => {
    const helper = Object.hasOwn(runtime, name) ? runtime[name] : undefined;
    if (helper === undefined) throw new InternalError(`a printed module imports ${name}`);
    return helper();
  };
  module._compile(code, filename);
  return module.exports as LiveVersion; // the entry above
}
