import { cpus, release } from "node:os";
import { benchCapture, captureTable } from "./capture.ts";
import { benchChain, chainTable } from "./chain.ts";
import { benchCold, coldTable } from "./cold.ts";
import { benchCompile, compileTable } from "./compile.ts";
import { benchEditor, editorTable } from "./editor.ts";
import { benchHttp, httpTable } from "./http.ts";
import { benchJq, jqTable } from "./jq.ts";
import { benchMicro, microTable } from "./micro.ts";
import { type Options, readOptions, usage } from "./options.ts";
import { benchPages, pagesTable } from "./pages.ts";
import { benchPatterns, patternTable } from "./patterns.ts";
import { benchPolicy, policyTable } from "./policy.ts";
import { profileHttp, profileTable } from "./profile.ts";
import type { WorkloadName } from "./workloads.ts";

// `npm run bench`: what requests, compiling and starting cost, on this machine and next to servers written by hand. docs/performance.md
// says how to read it.

/** Takes what a part has measured: as data, and as a table. */
type Show = (part: string, data: unknown, text: string) => void;

async function runParts({ only, rounds, profile, ...load }: Options, show: Show): Promise<void> {
  const workloads = only.filter((part): part is WorkloadName => part.startsWith("w"));
  if (workloads.length > 0 && profile) {
    await profileHttp(workloads, load, (name, report) => show(name, report, profileTable(name, report)));
  } else if (workloads.length > 0)
    await benchHttp(workloads, { rounds, ...load }, (name, report) => show(name, report, httpTable(name, report)));
  if (only.includes("micro")) {
    const report = await benchMicro(rounds);
    show("micro", report, microTable(report));
    const policy = benchPolicy(rounds);
    show("policy", policy, policyTable(policy));
    const chain = await benchChain(rounds);
    show("chain", chain, chainTable(chain));
    const patterns = benchPatterns(rounds);
    show("patterns", patterns, patternTable(patterns));
    const capture = await benchCapture(rounds);
    show("capture", capture, captureTable(capture));
    const filters = await benchJq(rounds);
    show("jq", filters, jqTable(filters));
  }
  if (only.includes("compile")) {
    const report = await benchCompile();
    show("compile", report, compileTable(report));
  }
  if (only.includes("cold")) {
    const report = await benchCold();
    if (report !== undefined) show("cold", report, coldTable(report));
  }
  if (only.includes("editor")) {
    const report = await benchEditor();
    show("editor", report, editorTable(report));
  }
  if (only.includes("pages")) {
    const report = await benchPages();
    if (report !== undefined) show("pages", report, pagesTable(report));
  }
}

async function main(args: readonly string[]): Promise<void> {
  let options: Options;
  try {
    options = readOptions(args);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${usage}`);
    process.exitCode = 3;
    return;
  }
  const machine = `${cpus().length} x ${cpus()[0]?.model ?? "unknown processor"}, ${process.platform} ${release()}, Node ${process.versions.node}`;
  if (!options.json) console.log(`${machine}\n`);
  const all: Record<string, unknown> = { machine, options };
  await runParts(options, (part, data, text) => {
    all[part] = data;
    if (!options.json) console.log(text);
  });
  if (options.json) console.log(JSON.stringify(all));
}

await main(process.argv.slice(2));
