import type { Interface } from "#runtime/run/interface.ts";
import type { Request } from "#runtime/run/received.ts";
import { type Loaded, load } from "../../compiler/7-link/load.ts";
import { printAll } from "../../compiler/pipeline.ts";
import { median } from "./statistics.ts";
import { planService } from "./systems.ts";
import { figure, table } from "./table.ts";
import { type Workload, workloads } from "./workloads.ts";

/** Runs between two looks at the clock. */
const stretch = 500;

/** Milliseconds of a measurement: long enough for the count of the system, short enough to take turns often. */
const turn = 30;

/** Nanoseconds of one run with its reply, without any HTTP. */
export interface MicroReport {
  readonly [workload: string]: { readonly printed: number; readonly walked: number };
}

/** Measures the interpreter: both paths in this process, in turns. */
export async function benchMicro(rounds: number): Promise<MicroReport> {
  const planned = await planService();
  const printed = await load(await printAll(planned));
  const walked = await load(await printAll(planned, { interpret: true }));
  const report: Record<string, { printed: number; walked: number }> = {};
  for (const name of ["w1", "w2"] as const) {
    const runs = { printed: runner(printed, name), walked: runner(walked, name) };
    const times = { printed: [] as number[], walked: [] as number[] };
    // The first round warms up.
    for (let round = 0; round <= rounds; round++) {
      for (const path of ["printed", "walked"] as const) {
        const time = nanoseconds(runs[path]);
        if (round > 0) times[path].push(time);
      }
    }
    report[name] = { printed: median(times.printed), walked: median(times.walked) };
  }
  return report;
}

/** One run of an interface by the classes of its own link. */
function runner({ configs, createHost, LiveRun, reply }: Loaded, name: keyof typeof workloads): () => void {
  const config = configs[0];
  const target = config?.interfaces.find((each): each is Interface => each.name === name);
  if (config === undefined || target === undefined) throw new Error(`service.yaml has no ${name}`);
  const host = createHost({ env: {} });
  const request = requestOf(workloads[name]);
  return () => {
    const run = new LiveRun(host, config, target, request);
    target.run(run);
    const answer = reply(run);
    if (answer instanceof Promise) throw new Error(`the answer of ${name} is large`);
    const { status, body } = answer;
    if (status !== 200 || body === "") throw new Error(`${name} has failed: ${body}`);
  };
}

const requestOf = ({ method, path, body }: Workload): Request => ({
  id: "00000000-0000-4000-8000-000000000000",
  trigger: "http",
  method,
  path,
  body: body === undefined ? null : JSON.parse(body),
  raw_body: body ?? null,
  params: {},
  headers: {},
  ip: {},
});

/** The nanoseconds of one call, in a turn of many. */
export function nanoseconds(run: () => void): number {
  const end = performance.now() + turn;
  const began = threadTime();
  let calls = 0;
  do {
    for (let i = 0; i < stretch; i++) run();
    calls += stretch;
  } while (performance.now() < end);
  return (threadTime() - began) / calls;
}

/** Nanoseconds of CPU that this thread has had: what else the machine does is not in it. */
export function threadTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) * 1000;
}

export function microTable(report: MicroReport): string {
  const rows = Object.entries(report).map(([name, { printed, walked }]) => [
    name,
    figure(printed),
    figure(walked),
    figure(walked / printed),
  ]);
  return table(["run and reply", "printed ns", "walked ns", "walked to printed"], rows);
}

/** The nanoseconds of a call that has to be awaited. */
export async function nanosecondsOf(run: () => Promise<unknown>): Promise<number> {
  const end = performance.now() + turn;
  const began = threadTime();
  let calls = 0;
  do {
    for (let i = 0; i < stretch; i++) await run();
    calls += stretch;
  } while (performance.now() < end);
  return (threadTime() - began) / calls;
}
