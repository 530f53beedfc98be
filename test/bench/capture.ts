import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Json } from "#runtime/value/json.ts";
import { load } from "../../compiler/7-link/load.ts";
import { planTexts, printAll } from "../../compiler/pipeline.ts";
import { nanoseconds } from "./micro.ts";
import { median } from "./statistics.ts";
import { figure, table } from "./table.ts";
import { workloads } from "./workloads.ts";

const captures = ["off", "errors", "all"] as const;

/** Nanoseconds of one run of W2 with its reply and what follows it: a run that succeeds, and one that fails. */
export type CaptureReport = Readonly<Record<(typeof captures)[number], { readonly succeeds: number; readonly fails: number }>>;

/** Measures what it costs to record runs, or to find that none is to be recorded. Records are dropped when a thousand of them wait. */
export async function benchCapture(rounds: number): Promise<CaptureReport> {
  const folder = mkdtempSync(join(tmpdir(), "pipewright-bench-"));
  const text = readFileSync(new URL("service.yaml", import.meta.url), "utf8");
  const runs = await Promise.all(
    captures.map(async (capture) => {
      const own = text.replace("  w2:\n", `  w2:\n    capture: ${capture}\n`);
      const loaded = await load(await printAll(planTexts([{ file: "service.yaml", text: own }])));
      return { capture, succeeds: runner(loaded, folder, workloads.w2.body ?? ""), fails: runner(loaded, folder, "{}") };
    }),
  );
  const times = runs.flatMap(({ capture }) => (["succeeds", "fails"] as const).map((kind) => ({ capture, kind, ns: [] as number[] })));
  // The first round warms up.
  for (let round = 0; round <= rounds; round++) {
    for (const { capture, kind, ns } of times) {
      const run = runs.find((each) => each.capture === capture)?.[kind];
      if (run === undefined) continue;
      const time = nanoseconds(run);
      if (round > 0) ns.push(time);
    }
  }
  rmSync(folder, { recursive: true, force: true });
  const of = (capture: string, kind: string): number =>
    median(times.find((each) => each.capture === capture && each.kind === kind)?.ns ?? []);
  const both = (capture: string) => ({ succeeds: of(capture, "succeeds"), fails: of(capture, "fails") });
  return { off: both("off"), errors: both("errors"), all: both("all") };
}

function runner(
  { configs, createHost, LiveRun, reply, conclude }: Awaited<ReturnType<typeof load>>,
  folder: string,
  body: string,
): () => void {
  const [config] = configs;
  const target = config?.interfaces.find(({ name }) => name === "w2");
  if (config === undefined || target === undefined) throw new Error("service.yaml has no w2");
  const host = createHost({ env: { PIPEWRIGHT_CAPTURE_DIR: folder } });
  const value = JSON.parse(body) as Json;
  const nothing = { method: "POST", path: "/w2", raw_body: body, params: {}, headers: {}, ip: {} };
  return () => {
    const run = new LiveRun(host, config, target, { id: "00000000-0000-4000-8000-000000000000", trigger: "http", body: value, ...nothing });
    target.run(run);
    const answer = reply(run);
    if (answer instanceof Promise) throw new Error("the answer of w2 is large");
    conclude(run, answer.status);
  };
}

export const captureTable = (report: CaptureReport): string =>
  table(
    ["run of w2", "succeeds ns", "fails ns"],
    captures.map((capture) => [`capture: ${capture}`, figure(report[capture].succeeds), figure(report[capture].fails)]),
  );
