import { read } from "../../compiler/1-read/index.ts";
import { check } from "../../compiler/2-check/index.ts";
import { checkTogether, resolve } from "../../compiler/3-resolve/index.ts";
import { plan } from "../../compiler/4-plan/index.ts";
import { analyse } from "../../compiler/5-analyse/index.ts";
import { beginBundle } from "../../compiler/7-link/begun-bundle.ts";
import { collector } from "../../compiler/diagnostics/collect.ts";
import { renderFrames } from "../../compiler/diagnostics/frame.ts";
import { sources } from "../../compiler/diagnostics/position.ts";
import { printAll } from "../../compiler/pipeline.ts";
import { syntheticConfigs } from "./synthetic.ts";

// One compile in a process of its own, as `build` does it. `node compile-once.ts INTERFACES FILES` prints as JSON what each phase took in
// milliseconds, the processor time of all of them, and sizes.

const [count = 0, files = 0] = process.argv.slice(2).map(Number);
const texts = syntheticConfigs(count, files);
const found = collector();
const phases: Record<string, number> = { load: performance.now() };

/** Runs a phase and notes how long it took. */
async function timed<T>(name: string, phase: () => T | Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await phase();
  phases[name] = performance.now() - began;
  return result;
}

using begun = await timed("begin", async () => {
  const bundle = await beginBundle("bench");
  await bundle.reads;
  return bundle;
});
const documents = await timed("read", () => texts.flatMap(({ text, file }) => read(text, file, found.report) ?? []));
const checked = await timed("check", () => documents.map((document) => ({ document, root: check(document, found.report) })));
const configs = await timed("resolve", () => checked.map((each) => resolve(each, found.report)));
await timed("together", () => checkTogether(configs, found.report));
const plans = await timed("plan", () => configs.map((config) => plan(config, found.report, {})));
const planned = {
  plans: await timed("analyse", () => plans.map((each) => analyse(each, found.report))),
  diagnostics: found.diagnostics(),
  sources: sources(new Map(texts.map(({ file, text }) => [file, text]))),
  failed: found.hasErrors(),
};
if (planned.failed) throw new Error(renderFrames(planned.diagnostics, planned.sources, { color: false }));
const bundled = begun.expect({ files: planned.plans.map(({ file }) => file), docs: undefined });
const modules = await timed("print", () => printAll(planned, {}, begun.add));
const { code } = await timed("link", () => bundled);

const { user, system } = process.cpuUsage();
const size = (items: readonly string[]): number => items.reduce((sum, item) => sum + Buffer.byteLength(item), 0);
console.log(
  JSON.stringify({
    phases,
    cpu: (user + system) / 1000,
    yaml: size(texts.map(({ text }) => text)),
    typescript: size(modules.map((module) => module.code)),
    bundle: size([code]),
    peak: process.resourceUsage().maxRSS * 1024,
  }),
);
