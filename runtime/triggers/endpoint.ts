import type { IncomingMessage } from "node:http";
import type { Host } from "../process/host.ts";
import type { Outgoing } from "./http/outgoing.ts";

/** A request at an endpoint. */
export interface EndpointRequest {
  readonly message: IncomingMessage;
  readonly response: Outgoing;
  /** The id for `x-request-id`. */
  readonly id: string;
  /** The address on which the server listens. */
  readonly bound: string;
  /** True when the connection closes after the answer, since the process ends. */
  readonly closes: () => boolean;
}

/** A path of the service at which requests speak another protocol; it also exists under `/<org>/<env>`. */
export interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly take: (request: EndpointRequest) => void;
}

/** The endpoints of all configs that are served together. The port does not name the type of configs, so that `Config` can use it. */
export type EndpointsOf<Config> = (host: Host, configs: readonly Config[]) => readonly Endpoint[];
