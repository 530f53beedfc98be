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

/** Further options for a test or an embedding process. */
export interface ServeOptions extends Partial<Settings>, Pick<HostOptions, "log">, Pick<HttpOptions, "beside"> {
  /** Milliseconds between reporting "not ready" and refusing connections. */
  readonly noticeMs?: number;
  /** The API documentation of the configurations. */
  readonly docs?: Documentation | undefined;
  /** The console on the address of the admin API. */
  readonly shown?: AdminConsole | undefined;
  /** The program that workers run, in place of the program of this process. */
  readonly program?: Program | undefined;
  /** The number of this worker, if there are several. */
  readonly worker?: Worker | undefined;
  /** False when the caller itself logs that the process listens, by `announce`. */
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
  /**
   * Serves these configs from now on; runs under way keep their version. Lists the missing needs of the configs; if there are any, nothing
   * changes.
   */
  readonly replace: (configs: readonly Config[], docs: Documentation | undefined) => Promise<readonly string[]>;
  /** Drains and closes everything; false when the grace period ended first. */
  readonly close: () => Promise<boolean>;
}

/**
 * Serves the interfaces of these configs and logs one record `listening` with the `url`. Throws `Unmet` with everything that keeps the
 * process from starting. An unset variable does not: it is null at run time.
 */
export async function serve(modules: readonly Config[], options: ServeOptions = {}): Promise<Served> {
  const { logLevel = "info", worker } = options;
  const host = await hostOf({ ...options, log: options.log ?? createLog({ level: logLevel, worker: worker?.place.number }) });
  const { configs, problems } = startConfigs(host, modules);
  const service = new Service(host, configs, options);
  await service.open(configs, [...(options.unmet ?? []), ...problems]);
  service.begin();
  return service;
}

/** Serves one version of the configs after another, at one address. */
class Service implements Served {
  readonly host: Host;
  readonly watched: Watched;
  url = "";
  readonly #options: ServeOptions;
  #version: Version;
  #isMeasured: boolean;
  #http: HttpServer | undefined;

  constructor(host: Host, configs: readonly Config[], options: ServeOptions) {
    this.host = host;
    this.#options = options;
    this.#version = new Version(host, this.#counted(configs));
    this.#isMeasured = configs.some(({ metrics }) => metrics !== undefined);
    this.watched = watchedBy(host, options, () => this.#version);
  }

  /** Listens. If needs are missing, it throws `Unmet` with all of them instead; `problems` are the ones that are already known. */
  async open(configs: readonly Config[], problems: readonly string[]): Promise<void> {
    const { host } = this;
    const { address = "0.0.0.0", port = 4111, admin, worker } = this.#options;
    const unmet = [...problems, ...(await this.#version.missing())];
    // When needs are missing, the server only tries whether its address is free, so that a used address is reported, too.
    const http = this.#server(unmet.length > 0 ? [] : this.#version.configs, this.#docsOf(this.#options.docs, configs));
    this.#http = http;
    this.url = await http.listen(address, port).catch((error: NodeJS.ErrnoException) => {
      unmet.push(cannotListen(error, address, port));
      return "";
    });
    if (unmet.length === 0) unmet.push(...(await serveMetrics(host, configs, this.#options)));
    if (unmet.length === 0 && worker === undefined) unmet.push(...(await serveAdmin(this.watched, admin)));
    if (unmet.length === 0) return;
    await http.drain(0, 0);
    await host.close();
    throw new Unmet(unmet);
  }

  /** Starts schedules and other triggers without requests, and logs that the process listens. */
  begin(): void {
    const { admin, shown, warnings, worker, announces } = this.#options;
    if (admin?.bind !== undefined) void shown?.attend(this.host, () => this.#version.configs);
    greet(this.host, this.#version, { warnings, saysUnset: worker === undefined });
    if (worker === undefined) {
      if (announces !== false) this.announce();
      this.#version.start();
    } else {
      this.#version.startShared();
      worker.whenLead(() => this.#version.startRest());
      worker.listening(this.url);
    }
  }

  readonly announce = (): void => this.host.log("info", "listening", listening(this.url, this.#options, this.host, this.#version.configs));

  readonly replace = async (next: readonly Config[], docs: ServeOptions["docs"]): Promise<readonly string[]> => {
    const { configs: started, problems } = startConfigs(this.host, next);
    const successor = new Version(this.host, this.#counted(started));
    const missing = [...problems, ...(await successor.missing())];
    if (missing.length === 0 && !this.#isMeasured) missing.push(...(await serveMetrics(this.host, started, this.#options)));
    if (missing.length > 0) return missing;
    successor.sayUnset();
    this.#version.stop();
    this.#http?.replace(successor.configs, this.#docsOf(docs, started));
    this.#version = successor;
    this.#isMeasured ||= started.some(({ metrics }) => metrics !== undefined);
    successor.record();
    successor.start();
    return [];
  };

  readonly close = async (): Promise<boolean> => {
    const { host } = this;
    this.#version.stop();
    const grace_ms = host.limits.shutdownGraceMs;
    const inTime = (await this.#http?.drain(this.#options.noticeMs ?? 500, grace_ms)) ?? true;
    if (!inTime) host.log("warn", "the grace of the shutdown ran out: what is under way is cut off", { grace_ms, ...this.#http?.open });
    await host.close();
    return inTime;
  };

  #server(configs: readonly Config[], docs: ServeOptions["docs"]): HttpServer {
    const { corsOrigins = [], beside, admin, worker } = this.#options;
    return new HttpServer({
      host: this.host,
      configs,
      docs,
      corsOrigins,
      unmet: async () => [...(worker?.missing() ?? []), ...(await this.#version.unmet())],
      beside,
      keys: admin?.keys,
      queryKeys: admin?.queryKeys,
    });
  }

  #counted(configs: readonly Config[]): readonly Config[] {
    return this.#options.shown?.counted(configs) ?? configs;
  }

  #docsOf(docs: ServeOptions["docs"], started: readonly Config[]): ServeOptions["docs"] {
    if (this.#options.documentation === "off") return undefined;
    // A config has `docs` only when the environment decides whether it is in the document.
    return started.some((config) => config.docs === false) ? docs?.of(started) : docs;
  }
}

const watchedBy = (host: Host, { shown }: ServeOptions, version: () => Version): Watched => ({
  host,
  get configs() {
    return version().configs;
  },
  unmet: () => version().unmet(),
  shown,
});

/** The fields of the record `listening`: `url` works on this machine, and `address` says that other machines reach the process, too. */
export const listening = (
  url: string,
  { address = "0.0.0.0" }: ServeOptions,
  { environment }: Pick<Host, "environment">,
  configs: readonly Config[],
): { url: string; address?: string; environment: string; configs: string[] } => ({
  url,
  ...(/^(?:0\.0\.0\.0|::)$/.test(address) ? { address } : {}),
  environment,
  configs: configs.map(({ name }) => name),
});

function cannotListen({ code, message }: NodeJS.ErrnoException, address: string, port: number): string {
  if (code === "EADDRINUSE") return `address ${address}:${port} is in use: choose another with --port or --address`;
  if (code === "EACCES") return `address ${address}:${port} needs more rights: choose a port from 1024 up with --port`;
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") return `address ${address} is none of this machine: choose another with --address`;
  return `address ${address}:${port} cannot be used: ${message}`;
}
