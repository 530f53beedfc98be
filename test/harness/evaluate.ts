import { compileFunction } from "node:vm";
import { transform } from "esbuild";
import type { Config } from "#runtime/interface.ts";
import { root } from "./folders.ts";

/** What stands behind an import of a printed module: the export of the runtime, or something in its place. */
export type Replace = (file: string, name: string, original: unknown) => unknown;

/**
 * Runs the text of a printed module in this process, on the runtime that the tests import: nothing is linked, so that a module costs a few
 * milliseconds and a test may look at its runs, or break what it imports.
 */
export async function evaluate(code: string, replace?: Replace): Promise<Config> {
  const { code: script } = await transform(code, { loader: "ts", format: "cjs", target: "node24" });
  const files = [...script.matchAll(/require\("#runtime\/([^"]+)"\)/g)].map(([, file = ""]) => file);
  const loaded = new Map(await Promise.all(files.map(async (file) => [`#runtime/${file}`, await exportsOf(file, replace)] as const)));
  const module: { exports: { config?: Config } } = { exports: {} };
  const run = compileFunction(script, ["module", "require"], { filename: "printed-module.cjs" });
  run(module, (specifier: `#runtime/${string}`) => loaded.get(specifier));
  const { config } = module.exports;
  if (config === undefined) throw new Error("the module exports no config");
  return config;
}

async function exportsOf(file: string, replace: Replace | undefined): Promise<Readonly<Record<string, unknown>>> {
  const original: Readonly<Record<string, unknown>> = await import(new URL(`runtime/${file}`, root).href);
  if (replace === undefined) return original;
  return Object.fromEntries(Object.entries(original).map(([name, value]) => [name, replace(file, name, value)]));
}
