import { cpus, release } from "node:os";
import { baselineOf, writeBaseline } from "./baseline.ts";
import { benchCapture, captureTable } from "./capture.ts";
import { benchChain, chainTable } from "./chain.ts";
import { benchCold, coldTable } from "./cold.ts";
import { benchCommands, commandsTable } from "./command/commands.ts";
import { benchDev, devTable } from "./command/dev.ts";
import { benchCompile, compileTable } from "./compile.ts";
import { benchEditor, editorTable } from "./editor.ts";
import { averageLine, benchHttp, httpTable, type WorkloadReport } from "./http.ts";
import { benchJq, jqTable } from "./jq.ts";
import { benchMicro, microTable } from "./micro.ts";
import { type Options, readOptions, usage } from "./options.ts";
import { benchPages, pagesTable } from "./pages.ts";
import { benchPatterns, patternTable } from "./patterns.ts";
import { benchPeers, peersTable } from "./peers/compare.ts";
import { benchPolicy, policyTable } from "./policy.ts";
import { profileHttp, profileSockets, profileTable } from "./profile.ts";
import { benchHeld, heldTable } from "./scale/held.ts";
import { benchLatency, latencyTable } from "./scale/latency.ts";
import { benchScale, scaleTable } from "./scale/scale.ts";
import { benchWorkers, workersTable } from "./scale/workers.ts";
import { benchShort, shortMeasure, shortTable, worse } from "./short.ts";
import { benchSockets, type SocketWorkloadName, socketTable, socketWorkloads } from "./websockets.ts";
import { workloads as known, type WorkloadName } from "./workloads.ts";

// `npm run bench`: what requests, compiling and starting cost, on this machine and next to servers written by hand. docs/performance.md
// says how to read it.

/** Takes what a part has measured: as data, and as a table. */
type Show = (part: string, data: unknown, text: string) => void;

async function runParts({ only, rounds, profile, ...load }: Options, show: Show): Promise<void> {
  const workloads = only.filter((part): part is WorkloadName => part in known);
  if (workloads.length > 0 && profile) {
    await profileHttp(workloads, load, (name, report) =>
      show(name, report, profileTable(`${name} ${known[name].title}, us a request`, report)),
    );
  } else if (workloads.length > 0) {
    const reports = new Map<WorkloadName, WorkloadReport>();
    await benchHttp(workloads, { rounds, ...load }, (name, report) => {
      reports.set(name, report);
      show(name, report, httpTable(name, report));
    });
    const average = averageLine(reports);
    if (average !== undefined) show("average", average, average);
  }
  const sockets = only.filter((part): part is SocketWorkloadName => part in socketWorkloads);
  if (sockets.length > 0 && profile) {
    await profileSockets(sockets, load, (name, report) => {
      const { title, unit } = socketWorkloads[name];
      show(name, report, profileTable(`${name} ${title}, us a ${unit}`, report));
    });
  } else if (sockets.length > 0)
    await benchSockets(sockets, { rounds, ...load }, (name, report) => show(name, report, socketTable(name, report)));
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
  if (only.includes("commands")) {
    const report = benchCommands();
    if (report !== undefined) show("commands", report, commandsTable(report));
  }
  if (only.includes("dev")) {
    const report = await benchDev();
    show("dev", report, devTable(report));
  }
  if (only.includes("scale")) await benchScale((curves) => show(curves[0]?.title ?? "scale", curves, scaleTable(curves)));
  if (only.includes("held")) {
    const report = await benchHeld();
    show("held", report, heldTable(report));
  }
  if (only.includes("peers")) {
    const report = await benchPeers({ rounds, ...load });
    if (report !== undefined) show("peers", report, peersTable(report));
  }
  if (only.includes("latency")) {
    const report = await benchLatency();
    if (report !== undefined) show("latency", report, latencyTable(report));
  }
  if (only.includes("workers")) {
    const report = await benchWorkers(load.duration);
    show("workers", report, workersTable(report));
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

/** Ends with 1 when a request has become dearer. */
async function runShort(): Promise<void> {
  const measure = shortMeasure();
  if (baselineOf(measure) === undefined && process.env.UPDATE !== "1") {
    console.error(`test/bench/baseline.json has no ratios of '${measure}'; UPDATE=1 npm run bench -- --short writes them`);
    process.exitCode = 1;
    return;
  }
  const isUpdate = process.env.UPDATE === "1";
  const report = await benchShort(measure, isUpdate ? undefined : baselineOf(measure));
  if (isUpdate) writeBaseline(measure, { w1: report.w1.ratio, w2: report.w2.ratio, w4: report.w4.ratio });
  const before = baselineOf(measure);
  if (before === undefined) return;
  console.log(shortTable(report, measure, before));
  const dearer = worse(report, before);
  if (dearer.length === 0) return;
  console.error(
    `${dearer.join(", ")}: a request costs over 15 % more than it did. Find out where with --profile --only ${dearer.join(",")}; ` +
      "if it is meant to, write the new baseline with UPDATE=1 npm run bench -- --short",
  );
  process.exitCode = 1;
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
  if (options.short) {
    await runShort();
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
