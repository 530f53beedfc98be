import { serveAdmin } from "../admin/start.ts";
import type { AdminConsole, Watched } from "../admin/watched.ts";
import type { Config } from "../run/interface.ts";
import { startConfigs } from "../start/fields.ts";
import type { Documentation } from "../triggers/documentation.ts";
import { type HttpOptions, HttpServer } from "../triggers/http-server.ts";
import type { Host, HostOptions } from "./host.ts";
import { createLog } from "./log.ts";
import { serveMetrics } from "./metrics.ts";
import { greet, hostOf } from "./service.ts";
import type { Settings } from "./settings/options.ts";
import { Unmet } from "./unmet.ts";
import { Version } from "./version.ts";
import type { Program } from "./workers/first.ts";
import type { Worker } from "./workers/worker.ts";

/** The options that a test or an embedding process may set besides. */
export interface ServeOptions extends Partial<Settings>, Pick<HostOptions, "log">, Pick<HttpOptions, "beside"> {
  /** Milliseconds between saying "not ready" and refusing connections. */
  readonly noticeMs?: number;
  /** The API documentation of the configurations. */
  readonly docs?: Documentation | undefined;
  /** The console on the address of the admin API. */
  readonly shown?: AdminConsole | undefined;
  /** The program that workers run, in place of the program of this process. */
  readonly program?: Program | undefined;
  /** The number of this worker, if there are several. */
  readonly worker?: Worker | undefined;
  /** False: the caller itself logs that the process listens, by `announce`, when there is something to ask for. */
  readonly announces?: boolean;
}

/** A serving process. */
export interface Served {
  readonly url: string;
  readonly host: Host;
  /** The process as the admin API sees it. */
  readonly watched: Watched;
  /** Logs the record `listening`. */
  readonly announce: () => void;
  /** Serves these configs from now on; runs that are under way keep their version. Gives what the configs lack; then nothing changes. */
  readonly replace: (configs: readonly Config[], docs: Documentation | undefined) => Promise<readonly string[]>;
  /** Drains and closes everything; false when the grace ran out first. */
  readonly close: () => Promise<boolean>;
}

/**
 * Serves the interfaces of these configs and logs one record `listening` with the `url`. Throws `Unmet` with everything that keeps the
 * process from starting; a variable that is merely unset is null at run time and keeps nothing from starting.
 */
export async function serve(modules: readonly Config[], options: ServeOptions = {}): Promise<Served> {
  const { address = "0.0.0.0", port = 4111, corsOrigins = [], logLevel = "info", noticeMs = 500, worker } = options;
  const host = await hostOf({ ...options, log: options.log ?? createLog({ level: logLevel, worker: worker?.place.number }) });
  const { configs, problems } = startConfigs(host, modules);
  const { shown } = options;
  const counted = (all: readonly Config[]): readonly Config[] => shown?.counted(all) ?? all;
  let isMeasured = configs.some(({ metrics }) => metrics !== undefined);
  let version = new Version(host, counted(configs));
  const unmet = [...(options.unmet ?? []), ...problems, ...(await version.missing())];
  const watched = {
    host,
    get configs() {
      return version.configs;
    },
    unmet: () => version.unmet(),
    shown,
  };
  const docsOf = (docs: ServeOptions["docs"], started: readonly Config[]): ServeOptions["docs"] => {
    if (options.documentation === "off") return undefined;
    // A config has `docs` only when the environment decides whether it is in the document.
    return started.some((config) => config.docs === false) ? docs?.of(started) : docs;
  };
  // When something is missing, the server only learns whether its address is free, so that this can be reported, too.
  const http = new HttpServer({
    host,
    configs: unmet.length > 0 ? [] : version.configs,
    docs: docsOf(options.docs, configs),
    corsOrigins,
    unmet: async () => [...(worker?.missing() ?? []), ...(await version.unmet())],
    beside: options.beside,
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
  if (options.admin?.bind !== undefined) void shown?.attend(host, () => version.configs);
  greet(host, version, { warnings: options.warnings, saysUnset: worker === undefined });
  const announce = (): void => host.log("info", "listening", listening(url, host, version.configs));
  if (worker === undefined) {
    if (options.announces !== false) announce();
    version.start();
  } else {
    version.startShared();
    worker.whenLead(() => version.startRest());
    worker.listening(url);
  }
  const close = async (): Promise<boolean> => {
    version.stop();
    const inTime = await http.drain(noticeMs, host.limits.shutdownGraceMs);
    if (!inTime)
      host.log("warn", "the grace of the shutdown ran out: what is under way is cut off", {
        grace_ms: host.limits.shutdownGraceMs,
        ...http.open,
      });
    await host.close();
    return inTime;
  };
  const replace = async (next: readonly Config[], docs: ServeOptions["docs"]): Promise<readonly string[]> => {
    const { configs: started, problems } = startConfigs(host, next);
    const successor = new Version(host, counted(started));
    const missing = [...problems, ...(await successor.missing())];
    if (missing.length === 0 && !isMeasured) missing.push(...(await serveMetrics(host, started, options)));
    if (missing.length > 0) return missing;
    successor.sayUnset();
    version.stop();
    http.replace(successor.configs, docsOf(docs, started));
    version = successor;
    isMeasured ||= started.some(({ metrics }) => metrics !== undefined);
    version.record();
    version.start();
    return [];
  };
  return { url, host, watched, announce, replace, close };
}

/** The members of the record `listening`. */
export const listening = (
  url: string,
  { environment }: Host,
  configs: readonly Config[],
): { url: string; environment: string; configs: string[] } => ({
  url,
  environment,
  configs: configs.map(({ name }) => name),
});

function cannotListen({ code, message }: NodeJS.ErrnoException, address: string, port: number): string {
  if (code === "EADDRINUSE") return `address ${address}:${port} is in use: choose another with --port or --address`;
  if (code === "EACCES") return `address ${address}:${port} needs more rights: choose a port from 1024 up with --port`;
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") return `address ${address} is none of this machine: choose another with --address`;
  return `address ${address}:${port} cannot be used: ${message}`;
}
