import type { IncomingMessage } from "node:http";
import type { Host } from "../process/host.ts";
import type { Outgoing } from "./http/outgoing.ts";

/** A request at an endpoint. */
export interface EndpointRequest {
  readonly message: IncomingMessage;
  readonly response: Outgoing;
  /** `x-request-id`. */
  readonly id: string;
  /** The address that the server listens on. */
  readonly bound: string;
  /** True when the connection is of no use after the answer, since the process ends. */
  readonly closes: () => boolean;
}

/** A path of the service at which another protocol is spoken in requests; also under `/<org>/<env>`. */
export interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly take: (request: EndpointRequest) => void;
}

/** The endpoints of all configs that are served together. The port names no `Config` of its own, so that configs can hold it. */
export type EndpointsOf<Config> = (host: Host, configs: readonly Config[]) => readonly Endpoint[];
