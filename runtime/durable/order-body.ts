import type { IncomingMessage, ServerResponse } from "node:http";
import type { OrderBody } from "../run/caller.ts";
import { receive } from "../triggers/http/body.ts";

/**
 * Reads the body of an operator's order as JSON, whatever its header says: a client on the command line often sends the header of a form by
 * default.
 */
export function receiveOrder(message: IncomingMessage, response: ServerResponse): Promise<OrderBody> {
  message.headers["content-type"] = "application/json";
  return new Promise((resolve) =>
    receive({ message, response }, { maxBodyBytes: 1_048_576, maxBodiesBytes: Infinity, maxParts: 1 }, (received) => {
      if (!("code" in received)) return resolve({ value: received.value });
      const { status, code, message: reason = "the body must be JSON of 1 MiB at most" } = received;
      resolve({ refused: { status, body: { error: code, message: reason } } });
    }),
  );
}
