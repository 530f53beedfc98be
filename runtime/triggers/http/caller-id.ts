import type { IncomingMessage } from "node:http";
import type { Interface } from "../../run/interface.ts";
import type { CallerId } from "../../run/received.ts";

/** choice: characters of it that are kept. */
const longest = 128;

/**
 * The name that the caller gives its request (`x-request-id`). Only that of a trusted proxy goes back to the caller and into traces:
 * anybody could give two requests one name, or a name that is a text of its own.
 */
export function callerIdOf({ headers, socket }: IncomingMessage, { network }: Interface): CallerId | undefined {
  const text = headers["x-request-id"];
  if (typeof text !== "string" || text === "") return undefined;
  const isTrusted = text.length <= longest && /^[\x21-\x7e]+$/.test(text) && network?.trusts(socket.remoteAddress) === true;
  return { text: text.slice(0, longest), isTrusted };
}
