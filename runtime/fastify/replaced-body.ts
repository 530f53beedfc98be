import type { IncomingMessage } from "node:http";
import type { Readable } from "node:stream";

/**
 * A message whose body comes from another stream, such as one that a hook inflates. `failed` is called when that stream fails; without it
 * the message would just end. Fastify, too, counts such a failure as the client's.
 */
export function withBody(message: IncomingMessage, body: Readable, failed: (error: Error) => void): IncomingMessage {
  body.once("error", (error: Error) => failed(Object.assign(error, { statusCode: 400, ...error })));
  return Object.create(message, {
    complete: { value: false },
    read: { value: () => body.read() },
    on: {
      value: (event: string, listener: (piece: Buffer) => void) =>
        body.on(event, event === "data" ? (piece: Buffer | string) => listener(Buffer.from(piece)) : listener),
    },
  });
}
