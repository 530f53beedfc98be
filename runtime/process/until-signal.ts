import { serveAdmin } from "../admin/start.ts";
import type { Config } from "../run/interface.ts";
import { startConfigs } from "../start/fields.ts";
import { endSignals } from "./end-signals.ts";
import { createHost } from "./host.ts";
import { createLog } from "./log.ts";
import { serveMetrics } from "./metrics.ts";
import { listening, type ServeOptions, serve } from "./server.ts";
import { status } from "./status.ts";
import { Unmet } from "./unmet.ts";
import { Version } from "./version.ts";
import type { Program } from "./workers/first.ts";
import { workerHere } from "./workers/worker.ts";
import { makeObjectsYoung } from "./young-objects.ts";

/**
 * Serves until SIGTERM, SIGINT or SIGHUP, lets runs under way end, and gives the exit status (spec/command-line 4). A second signal ends
 * the process at once.
 */
export async function serveUntilSignal(
  configs: readonly Config[],
  options: ServeOptions,
  outside: NodeJS.Process = process,
): Promise<number> {
  makeObjectsYoung();
  const worker = await workerHere(outside);
  if (worker !== undefined) {
    const service = await serve(configs, { ...options, worker });
    await worker.drained;
    return (await service.close()) ? status.done : status.graceRanOut;
  }
  if ((options.workers ?? 1) > 1) return serveByWorkers(configs, options, outside);
  // The signals are watched before the process listens, because a program that reads the record `listening` may send one at once.
  const stop = stopped(outside);
  const alone = await serve(configs, options);
  await stop;
  return (await alone.close()) ? status.done : status.graceRanOut;
}

/** Resolves at the first signal; the second one ends the process at once. */
export async function stopped(outside: NodeJS.Process, atOnce: () => void = () => undefined): Promise<void> {
  const signals = endSignals();
  await new Promise<void>((resolve) => {
    for (const signal of signals) outside.once(signal, () => resolve());
  });
  const end = (): void => {
    atOnce();
    outside.exit(status.secondSignal);
  };
  for (const signal of signals) outside.on(signal, end);
}

/** Runs the first of several processes, whose workers serve. It serves their metrics, and ends when all of them have ended. */
async function serveByWorkers(modules: readonly Config[], options: ServeOptions, outside: NodeJS.Process): Promise<number> {
  if ((options.unmet ?? []).length > 0) throw new Unmet(options.unmet ?? []);
  const { Crew } = await import("./workers/first.ts");
  const { noticeMs = 500, workers: count = 1, program } = options;
  const host = createHost({ ...options, log: options.log ?? createLog({ level: options.logLevel ?? "info" }) });
  const { configs, problems } = startConfigs(host, modules);
  const needs = problems.concat(configs.find((one) => one.bus)?.bus?.ofWorkers(host) ?? []);
  if (needs.length > 0) throw new Unmet(needs);
  const version = new Version(host, configs);
  const crew = new Crew({
    count,
    program: program ?? (await programOf(outside)),
    log: host.log,
    graceMs: 2 * noticeMs + host.limits.shutdownGraceMs,
    listening: (url) => host.log("info", "listening", { ...listening(url, options, host, configs), workers: count }),
  });
  const unmet = [
    ...(await serveMetrics(host, configs, options, () => crew.measure())),
    ...(await serveAdmin({ host, configs, unmet: () => version.unmet(), shown: options.shown, isFirst: true }, options.admin)),
  ];
  if (unmet.length > 0) throw new Unmet(unmet);
  version.sayUnset();
  void stopped(outside, () => crew.kill()).then(() => crew.drain());
  const code = await crew.run();
  await host.close();
  return code;
}

/**
 * The program of an executable's workers. An executable has no script file to name, so that its first argument takes the place of the
 * file; options of Node are built in.
 */
async function programOf({ argv: [, , first = "--", ...rest], env }: NodeJS.Process): Promise<Program | undefined> {
  if (!(await import("node:sea")).isSea()) return undefined;
  const { NODE_OPTIONS } = env;
  // If a worker inherited these options, Node would start its debugger, and pass on a flag that this program does not know.
  delete env.NODE_OPTIONS;
  return { file: first, args: rest, nodeArgs: [], ...(NODE_OPTIONS === undefined ? {} : { env: { NODE_OPTIONS } }) };
}
