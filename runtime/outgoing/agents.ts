import { getCACertificates } from "node:tls";
import type { buildConnector, Dispatcher } from "undici";
import type { Host, Resource } from "../process/host.ts";
import { Failure } from "../value/failure.ts";
import { connectionsOf, type Undici } from "./connections.ts";
import { type Egress, egressOf, notAllowed } from "./egress.ts";

/** A way to services that is not the usual one. Equal ways share their connections. */
export interface Transport {
  readonly proxy?: {
    readonly uri: string;
    /** Value of `proxy-authorization`. */
    readonly token?: string;
  };
  readonly certificates: readonly string[];
  readonly insecure: boolean;
}

/**
 * True when the address and the proxy come from the configuration itself. Addresses from data are checked when a connection is opened, and
 * share no connection with trusted ones.
 */
export interface Trust {
  readonly address: boolean;
  readonly proxy: boolean;
}

type BuildOptions = buildConnector.BuildOptions;
type Connector = buildConnector.connector;

/** Unusual ways that stay open; a marker could ask for new ones without end. */
const mostOthers = 32;

/** Every call has its own time limits (runtime/features/actions/http/exchange.ts), finer than those of a proxy's connections. */
const limits = { headersTimeout: 0, bodyTimeout: 0, connections: 256, allowH2: false };
const connectTimeout = 120_000;

/** Loads undici, also for code that replaces its agents. */
export const loadUndici = (): Promise<Undici> => import("undici");

/** The ways to services that a host has: the pools of a process, or the replacement of a test. */
export interface Ways extends Resource {
  readonly usual: Dispatcher | undefined;
  /** The agent for addresses that come from data. */
  readonly guarded: Dispatcher | undefined;
  readonly load: (transport: Transport | undefined, trust: Trust) => Promise<Dispatcher>;
}

/** The pools of connections of a process. undici is loaded by the first call, since loading it takes longer than the rest of a start. */
class Agents implements Ways {
  usual: Dispatcher | undefined;
  /** The agent for addresses that come from data. */
  guarded: Dispatcher | undefined;
  readonly #host: Host;
  /** The agents by the way that they take, the latest used last. */
  readonly #others = new Map<string, Dispatcher>();
  readonly #ended = new AbortController();
  #loading: Promise<Undici> | undefined;

  constructor(host: Host) {
    this.#host = host;
  }

  async load(transport: Transport | undefined, trust: Trust): Promise<Dispatcher> {
    this.#loading ??= loadUndici();
    const undici = await this.#loading;
    if (transport !== undefined) return this.#other(undici, transport, trust);
    if (trust.address) {
      this.usual ??= connectionsOf(undici, undici.buildConnector({ timeout: connectTimeout, allowH2: false }), this.#host.monotonic);
      return this.usual;
    }
    this.guarded ??= connectionsOf(undici, guardedBy(egressOf(this.#host), undici, { timeout: connectTimeout }), this.#host.monotonic);
    return this.guarded;
  }

  #other(undici: Undici, transport: Transport, trust: Trust): Dispatcher {
    const key = JSON.stringify([transport, trust]);
    const agent = this.#others.get(key) ?? open(undici, transport, trust, this.#host, this.#ended.signal);
    this.#others.delete(key);
    this.#others.set(key, agent);
    const [oldest] = this.#others;
    if (oldest !== undefined && this.#others.size > mostOthers) {
      this.#others.delete(oldest[0]);
      // The agent ends when its calls have ended; a failure to end has no effect on any run.
      oldest[1].close().catch(() => undefined);
    }
    return agent;
  }

  async close(): Promise<void> {
    await this.#loading;
    // The host has waited for the runs before it closes, so no run needs the calls that are still open.
    const destroyed = [this.usual, this.guarded, ...this.#others.values()].map((agent) => agent?.destroy());
    this.#ended.abort();
    await Promise.all(destroyed);
  }
}

/** Opens an agent for an unusual way. `ended` is aborted when the process ends. */
function open(undici: Undici, { proxy, certificates, insecure }: Transport, trust: Trust, host: Host, ended: AbortSignal): Dispatcher {
  const egress = egressOf(host);
  const tls = {
    timeout: connectTimeout,
    ...(certificates.length === 0 ? {} : { ca: [...getCACertificates(), ...certificates] }),
    ...(insecure ? { rejectUnauthorized: false } : {}),
  };
  if (proxy === undefined) {
    const connect = trust.address ? undici.buildConnector({ ...tls, allowH2: false }) : guardedBy(egress, undici, tls);
    return connectionsOf(undici, connect, host.monotonic);
  }
  if (!trust.proxy) egress.checkHost(new URL(proxy.uri).hostname);
  const proxyTls = trust.proxy ? tls : { ...tls, lookup: egress.lookup };
  // The proxy is trusted by the same certificates as the service behind it. `signal` ends connections that are still being opened, which
  // the client of undici does not end when it is destroyed.
  return new undici.ProxyAgent({ ...limits, ...proxy, requestTls: { ...tls, signal: ended }, proxyTls: { ...proxyTls, signal: ended } });
}

/** Opens connections only to allowed addresses. A name is resolved once, and the connection goes to an address that was checked. */
function guardedBy(egress: Egress, { buildConnector }: Undici, options: BuildOptions): Connector {
  const connect = buildConnector({ ...options, allowH2: false, lookup: egress.lookup });
  return (to, callback) => {
    try {
      egress.checkHost(to.hostname);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      process.nextTick(callback, error, null);
      return;
    }
    // The socket is returned, so that the caller can end it when it gives up.
    return connect(to, (error, socket) => {
      if (error !== null) callback(error, null);
      else if (egress.isOpen(socket.remoteAddress ?? "")) callback(null, socket);
      else {
        socket.destroy();
        callback(notAllowed(), null);
      }
    });
  };
}

/** Address and proxy come from the configuration. */
const trusted: Trust = { address: true, proxy: true };

/**
 * The agent of this host for a way to a service. It is a promise only until the first call has loaded the usual agents, or for an unusual
 * way.
 */
export function agentOf(host: Host, transport: Transport | undefined, trust = trusted): Dispatcher | Promise<Dispatcher> {
  const agents = host.resource<Ways>("http", () => new Agents(host));
  const ready = trust.address ? agents.usual : agents.guarded;
  return (transport === undefined ? ready : undefined) ?? agents.load(transport, trust);
}
