import fastify from "fastify";
import { Mount } from "#runtime/fastify/mount.ts";
import { serverOptions } from "#runtime/fastify/server-options.ts";
import type { HttpServer } from "#runtime/triggers/http-server.ts";
import type { Open } from "./performance.ts";

const unmet = async (): Promise<readonly string[]> => [];

/** Serves a config by our own HTTP server. */
export const openedBy =
  (Server: typeof HttpServer): Open =>
  async (host, config) => {
    const server = new Server({ host, configs: [config], unmet });
    const url = await server.listen("127.0.0.1", 0);
    return { url, close: async () => void (await server.drain(0, 0)) };
  };

/** Serves a config inside of a Fastify application, without a prefix, so that runs see the same paths. */
export const openedInFastify: Open = async (host, config) => {
  const app = fastify({ ...serverOptions, forceCloseConnections: true });
  app.register(async (scope) => {
    new Mount(scope, { host, configs: [config], unmet, ownsAll: true });
  });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  return { url, close: () => app.close() };
};
