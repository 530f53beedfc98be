import type { IncomingMessage, Server, ServerResponse } from "node:http";
import { fastify } from "fastify";

/** What answers a request on the bare server. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Fastify on a server of ours: plugins may add routes to it, all else goes to `rest`. Bodies reach `rest` unread and limits are those of the
 * server, so an answer is the same whether Fastify's pipeline stands before it or not (decisions.md D7).
 */
export async function fastifyOn(server: Server, rest: Handler): Promise<Handler> {
  let handle: Handler | undefined;
  const app = fastify({
    serverFactory: (handler) => {
      // With a plain server Fastify never asks for HTTP/2 messages.
      handle = handler as Handler;
      return server;
    },
    // The server has a listener of its own.
    clientErrorHandler: () => undefined,
    frameworkErrors: (_error, request, reply) => {
      reply.hijack();
      rest(request.raw, reply.raw);
    },
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
  app.route({
    method: app.supportedMethods,
    url: "*",
    handler: (request, reply) => {
      reply.hijack();
      rest(request.raw, reply.raw);
    },
  });
  await app.ready();
  if (handle === undefined) throw new Error("Fastify has asked for no server");
  return handle;
}
