import type { IncomingMessage } from "node:http";
import type { Interface } from "../../run/interface.ts";
import type { CallerId } from "../../run/received.ts";

/** choice: the most characters that are kept of an id. */
const longest = 128;

/**
 * The id that the caller has given its request (`x-request-id`). Only the id of a trusted proxy goes back to the caller and into traces,
 * because any other caller could give one id to two requests, or put any text into it.
 */
export function callerIdOf({ headers, socket }: IncomingMessage, { network }: Interface): CallerId | undefined {
  const text = headers["x-request-id"];
  if (typeof text !== "string" || text === "") return undefined;
  const isTrusted = text.length <= longest && /^[\x21-\x7e]+$/.test(text) && network?.trusts(socket.remoteAddress) === true;
  return { text: text.slice(0, longest), isTrusted };
}
