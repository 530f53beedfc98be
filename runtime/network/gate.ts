import type { IncomingHttpHeaders } from "node:http";
import type { Host } from "../process/host.ts";
import type { Reply } from "../run/response.ts";
import type { JsonObject } from "../value/json.ts";

/** The client, as far as a connection tells: the peer is absent on a socket without address. */
export interface Caller {
  readonly headers: IncomingHttpHeaders;
  readonly peer: string | undefined;
}

/** The interface that is asked for, and the process. */
export interface PolicyRequest {
  readonly host: Host;
  readonly config: string;
  readonly interface: string;
  /** Nothing is run for this caller: limits are looked at, but do not count it. */
  readonly probe?: boolean;
  /** Told the rule when a caller is turned away. */
  readonly denied?: ((rule: string) => void) | undefined;
}

/** The network policy of an interface, for every trigger that a caller reaches it by. */
export interface NetworkPolicy {
  /** The answer to who is denied; undefined lets the caller in. It runs before anything of the request is read (spec/surfaces 0). */
  readonly judge: (caller: Caller, request: PolicyRequest) => Reply | undefined;
  /** The root `ip` of the request. */
  readonly ip: (caller: Caller, host: Host) => JsonObject;
  /** Whether a peer is a proxy whose word counts; nobody is one without `trusted_proxies`. */
  readonly trusts: (peer: string | undefined) => boolean;
  /** Warns of what is weak, and gives what keeps the process from starting. */
  readonly start: (request: PolicyRequest) => readonly string[];
}
