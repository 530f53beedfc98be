import type { Host } from "../process/host.ts";
import { Failure } from "../value/failure.ts";
import { egressOf } from "./egress.ts";

/**
 * The server with an allowed address in place of its host, for a server that data may name: the connection goes to that address and to no
 * other. `action` begins the text of the failure.
 */
export async function atOpenAddress<Server extends { readonly host: string }>(
  action: string,
  server: Server,
  host: Host,
): Promise<Server & { readonly name: string }> {
  try {
    const [address = server.host] = await egressOf(host).openOf(server.host);
    return { ...server, host: address, name: server.host };
  } catch (error) {
    if (error instanceof Failure || !(error instanceof Error)) throw error;
    throw new Failure("transport", `${action}: connect failed: ${error.message}`, { upstream: 502, unsent: true, cause: error });
  }
}
