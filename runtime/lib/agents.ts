import { getCACertificates } from "node:tls";
import type { Dispatcher } from "undici";
import type { Host, Resource } from "../host.ts";

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

type Undici = typeof import("undici");

/** Sockets to one origin; further requests wait in line. */
const connectionsPerOrigin = 256;

/** Unusual ways that stay open: a marker could ask for ever new ones. */
const mostOthers = 32;

/** Every call has its own time limits (exchange.ts), finer than those of the pool. */
const limits = { headersTimeout: 0, bodyTimeout: 0, connections: connectionsPerOrigin, allowH2: false };
const connectTimeout = 120_000;

/** The pools of connections of a process. undici is loaded by the first call, since it costs a start more than all else. */
class Agents implements Resource {
  usual: Dispatcher | undefined;
  /** By the way they take, the latest used last. */
  readonly #others = new Map<string, Dispatcher>();
  #loading: Promise<Undici> | undefined;

  async load(transport: Transport | undefined): Promise<Dispatcher> {
    this.#loading ??= import("undici");
    const undici = await this.#loading;
    if (transport !== undefined) return this.#other(undici, transport);
    this.usual ??= new undici.Agent({ ...limits, connect: { timeout: connectTimeout } });
    return this.usual;
  }

  #other(undici: Undici, transport: Transport): Dispatcher {
    const key = JSON.stringify(transport);
    const agent = this.#others.get(key) ?? open(undici, transport);
    this.#others.delete(key);
    this.#others.set(key, agent);
    const [oldest] = this.#others;
    if (oldest !== undefined && this.#others.size > mostOthers) {
      this.#others.delete(oldest[0]);
      // Ends when its calls have; a failure to end is of no interest to anybody.
      oldest[1].close().catch(() => undefined);
    }
    return agent;
  }

  async close(): Promise<void> {
    await this.#loading;
    // Whoever closes has waited for the runs: what is still open now belongs to nobody.
    await Promise.all([this.usual, ...this.#others.values()].map((agent) => agent?.destroy()));
  }
}

function open({ Agent, ProxyAgent }: Undici, { proxy, certificates, insecure }: Transport): Dispatcher {
  const tls = {
    timeout: connectTimeout,
    ...(certificates.length === 0 ? {} : { ca: [...getCACertificates(), ...certificates] }),
    ...(insecure ? { rejectUnauthorized: false } : {}),
  };
  if (proxy === undefined) return new Agent({ ...limits, connect: tls });
  // A proxy with a certificate of one's own is trusted like the service behind it.
  return new ProxyAgent({ ...limits, ...proxy, requestTls: tls, proxyTls: tls });
}

/** The agent of this host for a way to a service: the usual one is at hand after the first call. */
export function agentOf(host: Host, transport: Transport | undefined): Dispatcher | Promise<Dispatcher> {
  const agents = host.resource("http", () => new Agents());
  return (transport === undefined ? agents.usual : undefined) ?? agents.load(transport);
}
