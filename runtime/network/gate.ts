import type { IncomingHttpHeaders } from "node:http";
import type { Host } from "../process/host.ts";
import type { Reply } from "../run/response.ts";
import type { JsonObject } from "../value/json.ts";

/** A caller by its connection. `peer` is the address of the other end, and absent on a socket without addresses. */
export interface Caller {
  readonly headers: IncomingHttpHeaders;
  readonly peer: string | undefined;
}

/** The interface that the caller asks for, and the process that serves it. */
export interface PolicyRequest {
  readonly host: Host;
  readonly config: string;
  readonly interface: string;
  /** True when nothing is run for this caller: rate limits are checked, but the caller is not counted. */
  readonly probe?: boolean;
  /** Called with the name of the rule that turns a caller away. */
  readonly denied?: ((rule: string) => void) | undefined;
}

/** The network policy of an interface, for every trigger that a caller reaches it by. */
export interface NetworkPolicy {
  /** The answer to a denied caller; undefined lets the caller in. It runs before anything of the request is read (spec/surfaces 0). */
  readonly judge: (caller: Caller, request: PolicyRequest) => Reply | undefined;
  /** The root `ip` of the request. */
  readonly ip: (caller: Caller, host: Host) => JsonObject;
  /** True when a peer is a proxy whose headers are trusted; without `trusted_proxies` no peer is. */
  readonly trusts: (peer: string | undefined) => boolean;
  /** Logs a warning about weak rules, and gives the reasons why the process must not start. */
  readonly start: (request: PolicyRequest) => readonly string[];
}
