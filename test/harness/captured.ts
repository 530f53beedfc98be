import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openHistory } from "#runtime/capture/open.ts";
import type { CapturedRun, RunFilter, RunPage } from "#runtime/capture/recording.ts";
import { createHost, type Host, type HostOptions } from "#runtime/process/host.ts";
import { background } from "#runtime/run/end/background.ts";
import { reply } from "#runtime/run/end/reply.ts";
import { conclude } from "#runtime/run/execution.ts";
import type { Config } from "#runtime/run/interface.ts";
import { LiveRun } from "#runtime/run/live-run.ts";
import type { Request } from "#runtime/run/received.ts";
import { planned, printOne } from "./compile.ts";
import { evaluate } from "./evaluate.ts";
import { emptyRequest } from "./run-once.ts";
import { stillHost } from "./still-host.ts";

/** The environment of a process that keeps its runs in a folder of its own, and a function that removes the folder. */
export function ownFolder(): { readonly env: Readonly<Record<string, string>>; readonly folder: string; readonly remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), "pipewright-capture-"));
  const kept = join(folder, ".pipewright");
  return { env: { PIPEWRIGHT_CAPTURE_DIR: kept }, folder: kept, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A config as a link makes it, with the source places of its actions. */
export async function compiled(text: string, how: { readonly interpret: boolean } = { interpret: false }, file?: string): Promise<Config> {
  const { code, action_places = "" } = await printOne(planned(text, file), how);
  return { ...(await evaluate(code)), action_places };
}

/** Runs an interface as a trigger does; returns the status of the response. */
export async function ask(host: Host, config: Config, name: string, request: Partial<Request> = {}): Promise<number> {
  const target = config.interfaces.find((each) => each.name === name);
  if (target === undefined) throw new Error(`no interface ${name}`);
  const run = new LiveRun(host, config, target, { ...emptyRequest, id: host.uuid(), ...request });
  run.start();
  await run.finish();
  const { status } = await reply(run);
  conclude(run, status);
  await background(host).ended();
  return status;
}

/** Starts a process with a still clock, lets `work` send requests to it, and ends the process. */
export async function process(options: HostOptions, work: (host: Host) => Promise<void>): Promise<void> {
  const host = stillHost(options);
  try {
    await work(host);
  } finally {
    await host.close();
  }
}

/** Lists the runs in a store, the newest first. */
export async function listed(
  env: Readonly<Record<string, string>>,
  filter: RunFilter = {},
  limit = 100,
  cursor?: number,
): Promise<RunPage> {
  const history = openHistory(placeOf(env));
  try {
    return await history.list(filter, limit, cursor);
  } finally {
    await history.close();
  }
}

/** Lists the runs as whole records. */
export async function recorded(env: Readonly<Record<string, string>>): Promise<CapturedRun[]> {
  const { runs } = await listed(env);
  const history = openHistory(placeOf(env));
  try {
    const found: CapturedRun[] = [];
    for (const { run_uuid } of runs) {
      const run = await history.find(run_uuid);
      if (run !== undefined) found.push(run);
    }
    return found;
  } finally {
    await history.close();
  }
}

export const placeOf = (env: Readonly<Record<string, string>>, environment = "production"): Host => createHost({ env, environment });
