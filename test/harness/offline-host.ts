import { connect } from "node:net";
import { setImmediate } from "node:timers/promises";
import { Agent } from "undici";
import type { Host, HostOptions, Resource } from "#runtime/host.ts";
import { stillHost } from "./still-host.ts";

/**
 * A still host whose every HTTP call, whatever its address, reaches one local port in plain text: no test talks to the world. Nor does it wait:
 * pauses of configs from outside may be long.
 */
export function offlineHost(options: HostOptions, port: number): Host {
  const host = stillHost(options);
  const agent = new Agent({
    connect: (_, done) => {
      const socket = connect(port, "127.0.0.1");
      socket.once("connect", () => done(null, socket));
      socket.once("error", (error) => done(error, null));
    },
  });
  const agents = { agent, load: async () => agent, close: () => agent.destroy() };
  return {
    ...host,
    sleep: async (_, signal) => {
      await setImmediate();
      signal.throwIfAborted();
    },
    // The pool of runtime/lib/agents.ts, as its only function uses it.
    resource: <R extends Resource>(key: string, open: () => R): R => (key === "http" ? (agents as unknown as R) : host.resource(key, open)),
    close: async () => {
      await agents.close();
      await host.close();
    },
  };
}
