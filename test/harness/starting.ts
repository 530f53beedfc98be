import { afterEach } from "vitest";
import { createHost, type Host, type HostOptions } from "#runtime/process/host.ts";
import { type Served, type ServeOptions, serve } from "#runtime/process/server.ts";
import { Unmet } from "#runtime/process/unmet.ts";
import type { Config } from "#runtime/run/interface.ts";
import { LiveRun } from "#runtime/run/live-run.ts";
import { startConfigs } from "#runtime/start/fields.ts";
import type { Json } from "#runtime/value/json.ts";
import { load } from "../../compiler/7-link/load.ts";
import { documentOf, planTexts, printAll } from "../../compiler/pipeline.ts";
import { planned } from "./compile.ts";
import { evaluate } from "./evaluate.ts";
import { emptyRequest } from "./run-once.ts";

// Starts configurations in an environment: common code for tests of fields that are read at the start.

const hosts: Host[] = [];
const running: Served[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.close()));
  await Promise.all(hosts.splice(0).map((host) => host.close()));
});

export interface Started {
  readonly host: Host;
  readonly config: Config;
  readonly problems: readonly string[];
  readonly log: string[];
}

/** Sources of values for the fields. */
export type StartFields = Pick<HostOptions, "env" | "variables">;

interface Listening {
  readonly url: string;
  readonly log: string[];
}

interface Starting {
  readonly compiled: (text: string) => Promise<Config>;
  /** The config as it is after its start, without a server. */
  readonly started: (text: string, given?: StartFields, change?: (host: Host) => Host) => Promise<Started>;
  readonly serving: (text: string, given?: StartFields, more?: ServeOptions) => Promise<Listening>;
  /** Serves several configs, linked with their API document. */
  readonly documented: (texts: readonly string[], given: StartFields) => Promise<Listening>;
  /** All problems that keep a process from starting. */
  readonly unmet: (text: string, given?: StartFields) => Promise<readonly string[]>;
}

/** Functions that start configurations, by the interpreter or by printed modules. */
export function starting(interpret: boolean): Starting {
  const compiled = async (text: string): Promise<Config> => {
    const [module] = await printAll(planned(text), { interpret });
    if (module === undefined) throw new Error("nothing was planned");
    return { ...(await evaluate(module.code)), ...(module.places === undefined ? {} : { places: module.places }) };
  };
  const started: Starting["started"] = async (text, given = {}, change = (host) => host) => {
    const log: string[] = [];
    const host = change(createHost({ env: {}, clock: 0, ...given, log: (level, msg) => void log.push(`${level} ${msg}`) }));
    hosts.push(host);
    const { configs, problems } = startConfigs(host, [await compiled(text)]);
    const [config] = configs;
    if (config === undefined) throw new Error("nothing was started");
    return { host, config, problems, log };
  };
  const serving: Starting["serving"] = async (text, given = {}, more = {}) =>
    listening(serve, [await compiled(text)], { ...given, ...more });
  const documented: Starting["documented"] = async (texts, given) => {
    const found = planTexts(texts.map((text, n) => ({ file: `${n}.yaml`, text })));
    if (found.failed) throw new Error("the configs do not compile");
    const loaded = await load(await printAll(found, { interpret }), { docs: documentOf(found) });
    return listening(loaded.serve, loaded.configs, { ...given, docs: loaded.docs });
  };
  const unmet: Starting["unmet"] = (text, given = {}) =>
    serving(text, given).then(
      () => [],
      (error: unknown) => {
        if (error instanceof Unmet) return error.needs;
        throw error;
      },
    );
  return { compiled, started, serving, documented, unmet };
}

async function listening(by: typeof serve, configs: readonly Config[], options: ServeOptions): Promise<Listening> {
  const log: string[] = [];
  const served = await by(configs, {
    ...{ address: "127.0.0.1", port: 0, noticeMs: 0, metricsBind: undefined, env: {} },
    log: (level, msg, fields) => void log.push(`${level} ${msg} ${JSON.stringify(fields ?? {})}`),
    ...options,
  });
  running.push(served);
  return { url: served.url, log };
}

/** Runs an interface to its end. */
export async function run({ host, config }: Started, name: string, body: Json = null): Promise<void> {
  const target = config.interfaces.find((each) => each.name === name);
  if (target === undefined) throw new Error(`no interface ${name}`);
  const made = new LiveRun(host, config, target, { ...emptyRequest, body });
  made.start();
  await made.finish();
}
