import { setTimeout as sleep } from "node:timers/promises";
import type { Host } from "#runtime/process/host.ts";
import { reply } from "#runtime/run/end/reply.ts";
import type { Config, Interface } from "#runtime/run/interface.ts";
import { LiveRun } from "#runtime/run/live-run.ts";
import type { Request } from "#runtime/run/received.ts";
import type { Reply } from "#runtime/run/response.ts";
import type { Run } from "#runtime/run/run.ts";
import { type Outcome, outcomes, settled, type Watched, watched } from "./watch.ts";

/** The outcome of a run without a server. */
export interface Once {
  readonly reply: Reply;
  readonly order: readonly string[];
  readonly outcomes: readonly Outcome[];
}

/** A request without parameters, headers or body. */
export const emptyRequest: Request = {
  id: "00000000-0000-4000-8000-000000000000",
  trigger: "http",
  method: "POST",
  path: "/",
  body: null,
  raw_body: null,
  params: {},
  headers: {},
  ip: {},
};

/** Runs an interface of a config that was evaluated in this process, without a trigger. */
export async function runOnce(config: Config, name: string, request: Partial<Request>, host: Host): Promise<Once> {
  const watch = watched(config);
  const run = new LiveRun(host, watch.config, interfaceOf(watch.config, name), { ...emptyRequest, ...request });
  run.start();
  await ended(run);
  const sent = await reply(run);
  const [noted = notNoted(name)] = watch.runs;
  await settled(noted);
  return { reply: sent, order: noted.steps, outcomes: outcomes(noted) };
}

/** Waits for a run to end. A stuck run fails here, while the test still knows the run, and not by the timeout of the whole test. */
async function ended(run: Run): Promise<void> {
  const late = new AbortController();
  const stuck = sleep(longest, undefined, { signal: late.signal }).then(() => {
    throw new Error(`the run has not ended within ${longest} ms`);
  });
  await Promise.race([run.finish(), stuck]);
  stuck.catch(() => undefined);
  late.abort();
}

const longest = 60_000;

function interfaceOf(config: Config, name: string): Interface {
  const target = config.interfaces.find((each) => each.name === name);
  if (target === undefined) throw new Error(`no interface ${name}`);
  return target;
}

function notNoted(name: string): Watched {
  throw new Error(`the run of ${name} was not noted`);
}
