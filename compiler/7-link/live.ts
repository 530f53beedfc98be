import { readdirSync } from "node:fs";
import { join, sep } from "node:path";
import { linkedPackage } from "./linked.ts";
import { type RuntimeModules, Versions } from "./live-version.ts";
import { importEntry } from "./load.ts";
import { lateWorkers, workerTextNow } from "./workers.ts";

/** The functions of the runtime that the command itself calls. */
interface Exports {
  readonly serve: typeof import("#runtime/process/server.ts").serve;
  readonly stopped: typeof import("#runtime/process/until-signal.ts").stopped;
  readonly htmlReply: typeof import("#runtime/triggers/pages.ts").htmlReply;
  /** Loads the console at its first use. */
  readonly consoles: () => typeof import("#runtime/console/console.ts");
  /** Loads the functions that run interfaces with stubs. */
  readonly trials: () => typeof import("#runtime/testing/trial.ts");
}

/**
 * The whole runtime, and a way to run printed modules with it: one version after the other; a version is freed when its last run has ended.
 * A module with the same text as in the version before is not evaluated again.
 */
export interface Live extends Exports {
  readonly evaluate: Versions["evaluate"];
}

/** The values that this file and the link share. */
interface Inside {
  readonly runtime: RuntimeModules;
  readonly texts: { of?: (file: string) => string };
}

/** The linked and loaded runtime, without any project. */
export type LiveRuntime = Exports & Inside;

export async function loadRuntime(): Promise<LiveRuntime> {
  const own = linkedPackage().folder;
  const loaded = await importEntry<LiveRuntime>(entryText(), own);
  loaded.texts.of = (file) => workerTextNow(own, file);
  return loaded;
}

/**
 * Loads the runtime once: versions share its classes, so that parts that stay open between versions (state, pools, agents) serve them all.
 * Stacks show paths below `root`.
 */
export async function loadLive(root: string, loading: Promise<LiveRuntime> = loadRuntime()): Promise<Live> {
  const { runtime, texts: _, ...loaded } = await loading;
  const versions = new Versions(runtime, root);
  return { ...loaded, evaluate: (modules, docs) => versions.evaluate(modules, docs) };
}

/** Everything that a printed module may import. */
function entryText(): string {
  const folder = join(linkedPackage().folder, "runtime");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((file) => file.split(sep).join("/"))
    // The code of threads is not loaded into this process.
    .filter((file) => /\.[jt]s$/.test(file) && (!file.startsWith("threads/kinds/") || /\.code\.[jt]s$/.test(file)))
    .map((file) => file.replace(/\.js$/, ".ts"))
    .sort();
  return [
    // Each of these modules runs, with the packages that it needs, at its first use by a version.
    `export const runtime = { ${files.map((file) => `"#runtime/${file}": () => require("#runtime/${file}")`).join(", ")} };`,
    'export { serve } from "#runtime/process/server.ts";',
    'export { stopped } from "#runtime/process/until-signal.ts";',
    `export { texts } from "${lateWorkers}";`,
    'export { htmlReply } from "#runtime/triggers/pages.ts";',
    'export const consoles = () => require("#runtime/console/console.ts");',
    'export const trials = () => require("#runtime/testing/trial.ts");',
  ].join("\n");
}
