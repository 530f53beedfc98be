import { type FastifyInstance, fastify } from "fastify";
import { pipewright, serverOptions } from "pipewright/fastify";
import { config as orders } from "./generated/orders.ts";

/** An application with a route of its own, and with the interfaces of orders.yaml below `/api`. */
export async function application(): Promise<FastifyInstance> {
  const app = fastify({ ...serverOptions, logger: true });

  app.get("/", async () => ({ try: ["POST /api/orders", "GET /api/orders/:id"] }));

  // Hooks that are there before the plugin run before its interfaces, which see the headers as these leave them.
  app.addHook("onRequest", async (request, reply) => {
    if (!request.url.startsWith("/api/")) return;
    const customer = customers.get(request.headers.authorization ?? "");
    if (customer === undefined) await reply.code(401).send({ error: "who are you?" });
    else request.raw.headers["x-customer"] = customer;
  });

  await app.register(pipewright, { configs: [orders], prefix: "/api", vars: ["vars/development.yaml"] });
  return app;
}

/** The owners of tokens. In an application of yours a session or an identity provider says so. */
const customers: ReadonlyMap<string, string> = new Map([
  ["Bearer ada", "Ada"],
  ["Bearer bob", "Bob"],
]);
