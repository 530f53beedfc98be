import { connect } from "node:net";
import { setImmediate } from "node:timers/promises";
import { Agent } from "undici";
import type { Names } from "#runtime/outgoing/names.ts";
import type { Host, HostOptions, Resource } from "#runtime/process/host.ts";
import { stillHost } from "./still-host.ts";

/**
 * A still host whose every HTTP call, whatever its address, reaches one local port in plain text: no test uses the network. Pauses end at
 * once, because pauses in example packs may be long.
 */
export function offlineHost(options: HostOptions, port: number): Host {
  const host = stillHost(options);
  const agents = offlineAgents(port);
  const stands: Readonly<Record<string, Resource>> = { http: agents, names: noNames };
  return {
    ...host,
    sleep: noPause,
    resource: <R extends Resource>(key: string, open: () => R): R => (stands[key] as R | undefined) ?? host.resource(key, open),
    close: async () => {
      await agents.close();
      await host.close();
    },
  };
}

/**
 * Makes the host of a service offline in the same way; to be called before its first HTTP call. Only pauses of more than 30 s, such as
 * those of schedules, are real.
 */
export function putOffline(host: Host, port: number): void {
  host.resource("http", () => offlineAgents(port));
  const { sleep } = host;
  Object.assign(host, { sleep: (ms: number, signal: AbortSignal) => (ms > 30_000 ? sleep(ms, signal) : noPause(ms, signal)) });
}

/** A resolver that knows no name. */
const noNames: Names = { addresses: async () => [], services: async () => [], close: () => undefined };

/** Stands in for the pool of agents, with the members that runtime/outgoing/agents.ts calls. */
function offlineAgents(port: number): Resource {
  const agent = new Agent({
    connect: (_, done) => {
      const socket = connect(port, "127.0.0.1");
      socket.once("connect", () => done(null, socket));
      socket.once("error", (error) => done(error, null));
    },
  });
  const pool = { agent, load: async () => agent, close: () => agent.destroy() };
  return pool;
}

const noPause: Host["sleep"] = async (_, signal) => {
  await setImmediate();
  signal.throwIfAborted();
};
