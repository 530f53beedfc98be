import { basename } from "node:path";
import { serveAdmin } from "../admin/start.ts";
import { background } from "../run/end/background.ts";
import type { Config } from "../run/interface.ts";
import { startConfigs } from "../start/fields.ts";
import { warnOfMemory } from "../state/durability.ts";
import type { Documentation } from "../triggers/documentation.ts";
import { type HttpOptions, HttpServer } from "../triggers/http-server.ts";
import { stackOf } from "../value/stack-of.ts";
import { endSignals } from "./end-signals.ts";
import { isHealthy } from "./healthcheck.ts";
import { createHost, defaultLimits, type Host, type HostOptions, type Limits } from "./host.ts";
import { createLog } from "./log.ts";
import { type Flags, parseFlags, readSettings, type Settings, UsageError } from "./settings/options.ts";
import { Unmet } from "./unmet.ts";
import { Version } from "./version.ts";
import type { Program } from "./workers/first.ts";
import { type Worker, workerHere } from "./workers/worker.ts";

/** What a test or an embedding process may set besides. */
export interface ServeOptions extends Partial<Settings>, Pick<HostOptions, "log">, Pick<HttpOptions, "pages" | "instead"> {
  /** Milliseconds between saying "not ready" and refusing connections. */
  readonly noticeMs?: number;
  /** The API documentation of the configurations. */
  readonly docs?: Documentation | undefined;
  /** What workers run, in place of the program of this process. */
  readonly program?: Program | undefined;
  /** Which worker this process is. */
  readonly worker?: Worker | undefined;
  /** False: whoever serves says by `announce` that the process listens, once there is something to ask for. */
  readonly announces?: boolean;
}

/** A serving process. */
export interface Served {
  readonly url: string;
  readonly host: Host;
  /** Logs the record `listening`. */
  readonly announce: () => void;
  /** Serves these from now on; what is under way ends as it began. Gives what they lack: nothing changes then. */
  readonly replace: (configs: readonly Config[], docs: Documentation | undefined) => Promise<readonly string[]>;
  /** Drains and closes everything; false when the grace ran out first. */
  readonly close: () => Promise<boolean>;
}

/**
 * Serves the interfaces of these configs and logs one record `listening` with the `url`. Throws `Unmet` with everything that keeps the process
 * from starting; a variable that is merely unset is null at run time and keeps nothing from starting.
 */
export async function serve(written: readonly Config[], options: ServeOptions = {}): Promise<Served> {
  const { address = "0.0.0.0", port = 4111, corsOrigins = [], logLevel = "info", noticeMs = 500, worker } = options;
  const { tracing } = options;
  // Only a process that traces pays for the library.
  const tracer = tracing === undefined ? undefined : await (await import("../tracing/otlp.ts")).tracerTo(tracing);
  const host = createHost({ ...options, log: options.log ?? createLog({ level: logLevel, worker: worker?.place.number }), tracer });
  host.redactor.add("API keys", [...(options.admin?.keys ?? [])]);
  const { configs, problems } = startConfigs(host, written);
  let version = new Version(host, configs);
  const unmet = [...(options.unmet ?? []), ...problems, ...(await version.missing())];
  const watched = {
    host,
    get configs() {
      return version.configs;
    },
    unmet: () => version.unmet(),
  };
  const docsOf = (docs: ServeOptions["docs"], started: readonly Config[]): ServeOptions["docs"] => {
    if (options.documentation === "off") return undefined;
    // Only where the environment decides does a config say anything of it.
    return started.some((config) => config.docs === false) ? docs?.of(started) : docs;
  };
  // With something missing nothing is served: it is only learnt whether the address is free too.
  const http = new HttpServer({
    host,
    configs: unmet.length > 0 ? [] : configs,
    docs: docsOf(options.docs, configs),
    corsOrigins,
    unmet: async () => [...(worker?.missing() ?? []), ...(await version.unmet())],
    pages: options.pages ?? [],
    instead: options.instead,
    keys: options.admin?.keys,
    queryKeys: options.admin?.queryKeys,
  });
  const url = await http.listen(address, port).catch((error: NodeJS.ErrnoException) => {
    unmet.push(cannotListen(error, address, port));
    return "";
  });
  if (unmet.length === 0) unmet.push(...(await serveMetrics(host, configs, options)));
  if (unmet.length === 0 && worker === undefined) unmet.push(...(await serveAdmin(watched, options.admin)));
  if (unmet.length > 0) {
    await http.drain(0, 0);
    await host.close();
    throw new Unmet(unmet);
  }
  for (const warning of options.warnings ?? []) host.log("warn", warning);
  if (worker === undefined) version.sayUnset();
  warnOfMemory(
    host,
    configs.filter(({ store }) => store !== undefined).map(({ name }) => name),
  );
  version.record();
  const announce = (): void => host.log("info", "listening", listening(url, host, version.configs));
  if (worker === undefined) {
    if (options.announces !== false) announce();
    version.start();
  } else {
    worker.whenLead(() => version.start());
    worker.listening(url);
  }
  const close = async (): Promise<boolean> => {
    version.stop();
    const inTime = await http.drain(noticeMs, host.limits.shutdownGraceMs);
    await host.close();
    return inTime;
  };
  const replace = async (next: readonly Config[], docs: ServeOptions["docs"]): Promise<readonly string[]> => {
    const { configs: started, problems } = startConfigs(host, next);
    const made = new Version(host, started);
    const missing = [...problems, ...(await made.missing())];
    const isMeasured = version.configs.some(({ metrics }) => metrics !== undefined);
    if (missing.length === 0 && !isMeasured) missing.push(...(await serveMetrics(host, started, options)));
    if (missing.length > 0) return missing;
    made.sayUnset();
    version.stop();
    http.replace(started, docsOf(docs, started));
    version = made;
    version.record();
    version.start();
    return [];
  };
  return { url, host, announce, replace, close };
}

/** Serves the metrics of the configurations that have some; gives what keeps them from being served where they must be. */
async function serveMetrics(
  host: Host,
  configs: readonly Config[],
  { metricsBind: bind, worker }: ServeOptions,
  all?: () => Promise<readonly unknown[]>,
): Promise<readonly string[]> {
  const [meter] = configs.flatMap(({ metrics }) => metrics?.(host) ?? []);
  if (meter === undefined || bind === undefined) return [];
  meter.watch(() => background(host).detached);
  worker?.measures(meter);
  // The first process serves what its workers have counted.
  if (worker !== undefined) return [];
  try {
    host.log("info", "metrics", { url: await meter.listen(bind.address, bind.port, all) });
    return [];
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException; // only the socket can fail
    const problem = `PIPEWRIGHT_METRICS_BIND: ${bind.address}:${bind.port} cannot be used: ${code ?? message}`;
    if (bind.chosen) return [problem];
    host.log("warn", `metrics are not served: ${problem}`);
    return [];
  }
}

/** Serves until SIGTERM, SIGINT or SIGHUP, lets what is under way end, and gives the exit status (spec/command-line 4). A second signal ends at once. */
export async function serveUntilSignal(
  configs: readonly Config[],
  options: ServeOptions,
  outside: NodeJS.Process = process,
): Promise<number> {
  const worker = await workerHere(outside);
  if (worker !== undefined) {
    const served = await serve(configs, { ...options, worker, limits: shared(options.limits, worker) });
    await worker.drained;
    return (await served.close()) ? status.done : status.graceRanOut;
  }
  if ((options.workers ?? 1) > 1) return serveByWorkers(configs, options, outside);
  // Whoever reads that it listens may stop it at once.
  const stop = stopped(outside);
  const served = await serve(configs, options);
  await stop;
  return (await served.close()) ? status.done : status.graceRanOut;
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

/** What a process has at most is divided among its workers. */
function shared(given: Partial<Limits> | undefined, { place: { count } }: Worker): Limits {
  const limits = { ...defaultLimits, ...given };
  return { ...limits, maxDetachedRuns: Math.ceil(limits.maxDetachedRuns / count) };
}

/** The first of several processes: the others serve. It serves their metrics, and ends when they have. */
async function serveByWorkers(written: readonly Config[], options: ServeOptions, outside: NodeJS.Process): Promise<number> {
  if ((options.unmet ?? []).length > 0) throw new Unmet(options.unmet ?? []);
  const { Crew } = await import("./workers/first.ts");
  const { noticeMs = 500, workers: count = 1, program } = options;
  const host = createHost({ ...options, log: options.log ?? createLog({ level: options.logLevel ?? "info" }) });
  const { configs, problems } = startConfigs(host, written);
  if (problems.length > 0) throw new Unmet(problems);
  const version = new Version(host, configs);
  const crew = new Crew({
    count,
    program: program ?? (await programOf(outside)),
    log: host.log,
    graceMs: 2 * noticeMs + host.limits.shutdownGraceMs,
    listening: (url) => host.log("info", "listening", { ...listening(url, host, configs), workers: count }),
  });
  const unmet = [
    ...(await serveMetrics(host, configs, options, () => crew.measure())),
    ...(await serveAdmin({ host, configs, unmet: () => version.unmet() }, options.admin)),
  ];
  if (unmet.length > 0) throw new Unmet(unmet);
  version.sayUnset();
  void stopped(outside, () => crew.kill()).then(() => crew.drain());
  const code = await crew.run();
  await host.close();
  return code;
}

const listening = (
  url: string,
  { environment }: Host,
  configs: readonly Config[],
): { url: string; environment: string; configs: string[] } => ({
  url,
  environment,
  configs: configs.map(({ name }) => name),
});

/** An executable has no file to name: its first argument takes that place. What Node is given is inside it. */
async function programOf({ argv: [, , first = "--", ...rest], env }: NodeJS.Process): Promise<Program | undefined> {
  if (!(await import("node:sea")).isSea()) return undefined;
  const { NODE_OPTIONS } = env;
  // Node would read in it that a debugger is wanted, and give each worker a flag that is none of ours.
  delete env.NODE_OPTIONS;
  return { file: first, args: rest, nodeArgs: [], ...(NODE_OPTIONS === undefined ? {} : { env: { NODE_OPTIONS } }) };
}

/** What was fixed when an executable was built. */
export interface Build {
  readonly environment: string;
  readonly version: string;
  readonly docs?: Documentation | undefined;
}

/** The main program of an executable: the process ends with an exit status (spec/command-line 4). */
export function start(configs: readonly Config[], build: Build, outside: NodeJS.Process = process): void {
  endWith(main(configs, build, outside), basename(outside.execPath), outside);
}

/** The main program of a worker that was not built: it is given the flags of the process that has started it. */
export function startWorker(
  configs: readonly Config[],
  docs: Documentation | undefined,
  flags: Flags,
  outside: NodeJS.Process = process,
): void {
  const served = async (): Promise<number> => serveUntilSignal(configs, { ...(await readSettings(flags, outside.env)), docs }, outside);
  endWith(served(), "pipewright", outside);
}

function endWith(status: Promise<number>, name: string, outside: NodeJS.Process): void {
  status.then(
    (code) => outside.exit(code),
    (error: unknown) => {
      const [code, text] = ending(error);
      outside.stderr.write(`${name}: ${text}\n`);
      outside.exit(code);
    },
  );
}

async function main(configs: readonly Config[], build: Build, outside: NodeJS.Process): Promise<number> {
  const { help, version, healthcheck, ...flags } = parseFlags(outside.argv.slice(2));
  if (help) outside.stdout.write(usage(basename(outside.execPath), build));
  if (version) outside.stdout.write(`${build.version}\n`);
  if (help || version) return status.done;
  if (flags.env !== undefined && flags.env !== build.environment)
    throw new UsageError(`built for --env ${build.environment}, not for '${flags.env}'`);
  const settings = await readSettings({ ...flags, env: build.environment }, outside.env);
  if (healthcheck) return (await isHealthy(settings.address, settings.port)) ? status.done : status.failed;
  const { PIPEWRIGHT_ENV: wanted } = settings.env;
  const foreign =
    wanted && wanted !== build.environment
      ? [`PIPEWRIGHT_ENV is '${wanted}': set it to ${build.environment}, for which this was built`]
      : [];
  return serveUntilSignal(configs, { ...settings, docs: build.docs, unmet: [...settings.unmet, ...foreign] }, outside);
}

const status = { done: 0, failed: 1, graceRanOut: 1, usage: 3, bug: 70, unmet: 78, secondSignal: 130 } as const;

function ending(error: unknown): readonly [code: number, text: string] {
  if (error instanceof UsageError) return [status.usage, `${error.message}\nTry --help.`];
  if (error instanceof Unmet) return [status.unmet, error.message];
  return [status.bug, stackOf(error)];
}

function cannotListen({ code, message }: NodeJS.ErrnoException, address: string, port: number): string {
  if (code === "EADDRINUSE") return `address ${address}:${port} is in use: choose another with --port or --address`;
  if (code === "EACCES") return `address ${address}:${port} needs more rights: choose a port from 1024 up with --port`;
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") return `address ${address} is none of this machine: choose another with --address`;
  return `address ${address}:${port} cannot be used: ${message}`;
}

const usage = (name: string, { environment, version }: Build): string => `${name} ${version}, built for the environment ${environment}

Serves its interfaces over HTTP until SIGTERM, SIGINT or SIGHUP.

Options:
  --address ADDRESS  address to listen on (0.0.0.0)
  --port PORT        port to listen on, 0 for any free one (4111)
  --vars FILE        managed variables: a YAML map of names to values; may be repeated, a later file wins
  --master-key-file FILE
                     key that opens sealed variables: Base64 of 32 bytes (PIPEWRIGHT_MASTER_KEY)
  --dotenv FILE      environment variables; those that are really set win
  --workers N        processes that share the port: a number, or auto for one a processor (1)
  --log-level LEVEL  trace, debug, info, warn, error or critical (info)
  --env NAME         refuses to start unless it is ${environment}
  --healthcheck      ask the process that serves at this address and port; ends with 0 when it answers, else with 1
  --version          print the version
  --help             print this text

Examples:
  ${name} --port 8080
  ${name} --address 127.0.0.1 --vars ${environment}.yaml
  DATABASE_URL=postgres://localhost/app ${name} --dotenv .env
`;
