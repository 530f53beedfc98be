import { compileFunction } from "node:vm";
import { transform } from "esbuild";
import { type FacadeName, facade } from "#generated/facade.ts";
import type { Config } from "#runtime/run/interface.ts";
import { runtimeSpecifier } from "../../compiler/7-link/virtual.ts";
import { root } from "./folders.ts";

/** The function that a printed module calls as `pw.NAME`, or a replacement for it. */
export type Replace = (name: FacadeName, original: unknown) => unknown;

/**
 * Runs the text of a printed module in this process, on the runtime that the tests import: nothing is linked, so that a module takes a few
 * milliseconds, and a test may watch its runs or break its imports.
 */
export async function evaluate(code: string, replace?: Replace): Promise<Config> {
  const { code: script } = await transform(code, { loader: "ts", format: "cjs", target: "node24" });
  const pw = Object.fromEntries(
    await Promise.all(calledBy(code).map(async (name) => [name, (replace ?? kept)(name, await exported(name))] as const)),
  );
  const module: { exports: { config?: Config } } = { exports: {} };
  const run = compileFunction(script, ["module", "require"], { filename: "printed-module.cjs" });
  run(module, (specifier: string) => (specifier === runtimeSpecifier ? pw : undefined));
  const { config } = module.exports;
  if (config === undefined) throw new Error("the module exports no config");
  return config;
}

const kept: Replace = (_, original) => original;

/**
 * The functions of the runtime that the text of a module names, in the order of their names; a text of the user may contain such a name by
 * chance.
 */
export function calledBy(code: string): readonly FacadeName[] {
  const words = new Set([...code.matchAll(/\bpw\.(\w+)/g)].map(([, word = ""]) => word));
  return (Object.keys(facade) as FacadeName[]).filter((name) => words.has(name)); // keys of a literal
}

/** Loads only the file of the function, because the whole façade loads every database driver. */
async function exported(name: FacadeName): Promise<unknown> {
  const [file, own] = facade[name];
  const found: Readonly<Record<string, unknown>> = await import(new URL(`runtime/${file}`, root).href);
  return found[own];
}
