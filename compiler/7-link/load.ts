import { readFileSync, writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { findPackageJSON, isBuiltin, setSourceMapsSupport } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import type { AdminConsole } from "#runtime/admin/watched.ts";
import type { Enforcement } from "#runtime/enforce/enforcement.ts";
import type { Flags } from "#runtime/process/settings/options.ts";
import type { Config } from "#runtime/run/interface.ts";
import type { Documentation } from "#runtime/triggers/documentation.ts";
import type { PrintedModule } from "../6-print/index.ts";
import { commonOptions, outputOf } from "./bundle.ts";
import { linkedPackage } from "./linked.ts";
import { printedModules } from "./modules.ts";
import { linkFailureOf, optionalPackages } from "./optional-packages.ts";
import { inlineMap, type NamedManifest, type ShownConsole, virtualModules } from "./virtual.ts";
import { workersLater, workerTexts } from "./workers.ts";
import { lastingFolder, withTemporaryFolder } from "./write.ts";

/** A link in memory: the configs, and parts of the same runtime instance that the configs use, so that each class exists only once. */
export interface Loaded {
  readonly configs: readonly Config[];
  readonly docs: Documentation | undefined;
  readonly enforcement: Enforcement | undefined;
  readonly shown: AdminConsole | undefined;
  readonly serve: typeof import("#runtime/process/server.ts").serve;
  readonly serveUntilSignal: typeof import("#runtime/process/until-signal.ts").serveUntilSignal;
  readonly LiveRun: typeof import("#runtime/run/live-run.ts").LiveRun;
  readonly Failure: typeof import("#runtime/value/failure.ts").Failure;
  readonly createHost: typeof import("#runtime/process/host.ts").createHost;
  readonly startConfigs: typeof import("#runtime/start/fields.ts").startConfigs;
  readonly reply: typeof import("#runtime/run/end/reply.ts").reply;
  readonly conclude: typeof import("#runtime/run/execution.ts").conclude;
  readonly background: typeof import("#runtime/run/end/background.ts").background;
}

const entry = `
export { configs, docs, enforcement, shown } from "pipewright:configs";
export { startWorker } from "#runtime/process/program.ts";
export { serve } from "#runtime/process/server.ts";
export { serveUntilSignal } from "#runtime/process/until-signal.ts";
export { LiveRun } from "#runtime/run/live-run.ts";
export { Failure } from "#runtime/value/failure.ts";
export { createHost } from "#runtime/process/host.ts";
export { startConfigs } from "#runtime/start/fields.ts";
export { reply } from "#runtime/run/end/reply.ts";
export { conclude } from "#runtime/run/execution.ts";
export { background } from "#runtime/run/end/background.ts";
`;

/** Additions to the printed modules of a link in memory. */
export interface LoadOptions {
  /** The folder that the names of sources are relative to: stacks show the YAML as paths below it. */
  readonly root?: string;
  /** The API document as JSON text. */
  readonly docs?: string | undefined;
  /** The manifest that the configs must fit. */
  readonly enforced?: NamedManifest | undefined;
  readonly shown?: ShownConsole | undefined;
}

/** Links printed modules for this process: packages stay outside and come from our own `node_modules`. */
export async function load(modules: readonly PrintedModule[], options: LoadOptions = {}): Promise<Loaded> {
  const text = await linkText(modules, options);
  return withTemporaryFolder((folder) => importFrom(folder, text));
}

/** A link that worker processes can run, too. */
export interface Shared extends Loaded {
  /** The file of a worker that serves with these flags. */
  readonly workerFile: (flags: Flags) => string;
}

/** Writes the modules into a private folder that exists as long as this process. */
export async function loadForWorkers(modules: readonly PrintedModule[], options: LoadOptions): Promise<Shared> {
  const text = await linkText(modules, options);
  const folder = lastingFolder();
  const workerFile = (flags: Flags): string => {
    const file = join(folder, "worker.mjs");
    writeFileSync(file, workerText(flags), { mode: 0o600 });
    return file;
  };
  return { ...(await importFrom<Loaded>(folder, text)), workerFile };
}

const workerText = (flags: Flags): string => `import { setSourceMapsSupport } from "node:module";
setSourceMapsSupport(true, { nodeModules: false, generatedCode: false });
const { configs, docs, enforcement, startWorker } = await import("./link.mjs");
startWorker(configs, { docs, enforcement }, ${JSON.stringify(flags)});
`;

/** Links this text, which names no printed module, for this process; the code of its threads is made when it is needed (`workersLater`). */
export async function importEntry<Exports>(text: string, root: string): Promise<Exports> {
  const linked = await linkText([], { root }, { text, workers: workersLater });
  return withTemporaryFolder((folder) => importFrom(folder, linked));
}

async function linkText(
  modules: readonly PrintedModule[],
  { root = process.cwd(), ...additions }: LoadOptions,
  late?: { readonly text: string; readonly workers: Plugin },
): Promise<string> {
  const own = linkedPackage();
  const { text, workers } = late ?? { text: entry, workers: workerTexts(own.folder).plugin };
  const result = await build({
    ...commonOptions(own.folder, text),
    format: "esm",
    banner: { js: requireForLink },
    plugins: [
      workers,
      virtualModules(printedModules(modules), { constants: {}, ...additions }, own.folder),
      optionalPackages(modules.length > 0),
      packagesOutside,
    ],
  }).catch((error: unknown) => Promise.reject(linkFailureOf(error)));
  const { code, map } = outputOf(result);
  const sources = new Set(modules.flatMap(({ file, sources }) => [file, ...sources]));
  return `${code}${inlineMap(absoluteSources(map, (source) => resolve(sources.has(source) ? root : own.folder, source)))}`;
}

/**
 * Imports of packages become absolute addresses of the files that Node would load, so that the link works in any folder. `require` loads
 * CommonJS packages and Node's own modules when the module that imports them first runs. An `import` statement of the link would load every
 * package for each command. An `import` of `node:http` also reads all its exports, which starts Node's own undici (20 ms).
 */
const packagesOutside: Plugin = {
  name: "packages-outside",
  setup(build) {
    build.onResolve({ filter: /^[^./#]/ }, async ({ path, kind, resolveDir, pluginData }) => {
      if (pluginData === packagesOutside || path.startsWith("pipewright:")) return undefined;
      if (isBuiltin(path)) return kind === "import-statement" ? { path, namespace: "required" } : { path, external: true };
      const module = await build.resolve(path, { kind, resolveDir, pluginData: packagesOutside });
      if (module.errors.length > 0) return { errors: module.errors };
      if (kind === "import-statement" && isCommonJs(module.path)) return { path: module.path, namespace: "required" };
      return { path: pathToFileURL(module.path).href, external: true };
    });
    build.onLoad({ filter: /^/, namespace: "required" }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
    }));
    build.onResolve({ filter: /^/, namespace: "required" }, ({ path }) => ({ path, external: true }));
  },
};

const requireForLink = 'import { createRequire } from "node:module";\nconst require = createRequire(import.meta.url);';

function isCommonJs(file: string): boolean {
  if (!file.endsWith(".js")) return file.endsWith(".cjs");
  const manifest = findPackageJSON(pathToFileURL(file));
  return manifest === undefined || JSON.parse(readFileSync(manifest, "utf8")).type !== "module";
}

export function absoluteSources(map: string, locate: (source: string) => string): string {
  const parsed: { sources: string[] } = JSON.parse(map);
  return JSON.stringify({ ...parsed, sources: parsed.sources.map((source) => pathToFileURL(locate(source)).href) });
}

/** Imports a module through a private file, which is not needed afterwards. */
async function importFrom<Exports>(folder: string, text: string): Promise<Exports> {
  setSourceMapsSupport(true, { nodeModules: false, generatedCode: false });
  const file = join(folder, "link.mjs");
  await writeFile(file, text, { mode: 0o600 });
  return await import(pathToFileURL(file).href);
}
