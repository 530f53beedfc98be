import { createRequire } from "node:module";
import { compileFunction, constants } from "node:vm";
import type { Config } from "#runtime/run/interface.ts";
import type { startConfigs } from "#runtime/start/fields.ts";
import type { HttpServer } from "#runtime/triggers/http-server.ts";
import type { PrintedModule } from "../../compiler/6-print/index.ts";
import { bundle } from "../../compiler/7-link/bundle.ts";
import { openedBy } from "./opened.ts";
import type { Linked } from "./performance.ts";

/** Replaces the main program, which would begin to serve. The entry exports the configs, and the trigger of the bundle's own runtime. */
const entry = `
export { configs } from "pipewright:configs";
export { startConfigs } from "#runtime/start/fields.ts";
export { HttpServer } from "#runtime/triggers/http-server.ts";
`;

interface Exports {
  readonly configs: readonly Config[];
  readonly HttpServer: typeof HttpServer;
  readonly startConfigs: typeof startConfigs;
}

/**
 * One bundle of all modules, in the format that executables carry, run in this process. All modules share one bundle, because bundling the
 * npm packages takes nearly all of the time. Each config is planned alone, because the routes of several would collide in one project.
 */
export async function bundled(modules: readonly PrintedModule[]): Promise<(name: string) => Linked> {
  const { code } = await bundle(modules, { environment: "test", format: "cjs", entry });
  const { configs, HttpServer, startConfigs } = run(code);
  return (name) => {
    const config = configs.find((each) => each.name === name);
    if (config === undefined) throw new Error(`the bundle has no config ${name}`);
    return { config, open: openedBy(HttpServer), startConfigs };
  };
}

function run(code: string): Exports {
  const module = { exports: {} };
  const script = compileFunction(code, ["module", "exports", "require", "__dirname"], {
    filename: "bundle.cjs",
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  script(module, module.exports, createRequire(import.meta.url), import.meta.dirname);
  return module.exports as Exports; // what `entry` exports
}
