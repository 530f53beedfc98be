import { ipOf } from "../../network/chain.ts";
import type { Host } from "../../process/host.ts";
import type { Interface } from "../../run/interface.ts";
import type { JsonObject } from "../../value/json.ts";
import type { Peer } from "./rules.ts";

/** The marker root `ip` of a run for a message of a client. */
export function ipOfPeer({ network }: Interface, peer: Peer, host: Host): JsonObject {
  return network === undefined ? ipOf(peer) : network.ip(peer, host);
}
