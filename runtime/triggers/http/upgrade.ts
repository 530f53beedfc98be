import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { hopsName, hopsOf, isTooDeep } from "../../outgoing/hops.ts";
import type { Host } from "../../process/host.ts";
import type { Config, Target } from "../../run/interface.ts";
import { type Refusal, refusals } from "../../run/refusals.ts";
import type { Reply } from "../../run/response.ts";
import { stackOf } from "../../value/thrown.ts";
import type { Protocol, UpgradePoint } from "../protocol.ts";
import { answer } from "./answer.ts";
import { Credentials, withoutSecrets } from "./credentials.ts";
import { answerOn } from "./one-by-one.ts";
import { refuse } from "./refusal.ts";
import { paramsOf, type RequestTarget, requestTarget } from "./request.ts";
import { responseOn, Upgrade } from "./upgrade-request.ts";

/** A request for an upgrade, as the server receives it. */
export interface Asking {
  readonly message: IncomingMessage;
  readonly socket: Socket;
  readonly head: Buffer;
  readonly id: string;
}

/** The reason why a connection keeps its protocol. */
type Refused = { readonly refusal: Refusal; readonly allow?: readonly string[] } | { readonly denial: Reply };

/** The result for a caller at a path. Without a point, no other protocol is spoken at the path. */
type UpgradeRoute = Refused | { readonly point: UpgradePoint<Target>; readonly target: RequestTarget } | { readonly target: RequestTarget };

export interface UpgradeOptions {
  readonly host: Host;
  readonly configs: readonly Config[];
  /** Keys of the organisation, and whether the query may hold one. */
  readonly keys: readonly string[];
  readonly queryKeys: boolean;
}

/**
 * The paths of a server at which connections change their protocol, and the parts that take the connections over (spec/surfaces 3 and 4).
 */
export class Upgrades {
  readonly #host: Host;
  readonly #credentials: Credentials;
  #protocols: ReadonlySet<Protocol<Config, Target>> = new Set();
  #isWithoutBroker = false;

  constructor({ host, configs, keys, queryKeys }: UpgradeOptions) {
    this.#host = host;
    this.#credentials = new Credentials({ keys, queryKeys, now: host.now });
    this.serve(configs);
  }

  /** Serves the protocols of these configs from now on. */
  serve(configs: readonly Config[]): void {
    const next = new Set(configs.flatMap(({ protocols = [] }) => protocols.map((of) => of(this.#host))));
    for (const protocol of this.#protocols) if (!next.has(protocol)) protocol.serve([], this.#credentials);
    for (const protocol of next) protocol.serve(configs, this.#credentials);
    this.#protocols = next;
    this.#isWithoutBroker = next.size > 0 && !configs.some(({ mqtt }) => mqtt !== undefined);
  }

  at(path: string): UpgradePoint<Target> | undefined {
    for (const protocol of this.#protocols) {
      const point = protocol.at(path);
      if (point !== undefined) return point;
    }
    return undefined;
  }

  /**
   * True for a plain request to the path of MQTT in a service that has connections that stay open, but no broker. Its client gets the
   * answer that the path is for such connections, as in a service with a broker.
   */
  isPlain(path: string, { headers }: IncomingMessage): boolean {
    return this.#isWithoutBroker && path === "/mqtt" && headers.upgrade === undefined;
  }

  /**
   * True for a request that `receive` takes. A request for a protocol that its path does not speak is answered like an ordinary request.
   */
  isAsked(message: IncomingMessage): boolean {
    const target = asksForWebSocket(message) ? requestTarget(message.url ?? "/") : undefined;
    return target !== undefined && this.at(target.path) !== undefined;
  }

  /** Takes a connection from Node; `find` gives the target of its path for this caller. */
  receive(asking: Asking, find: () => UpgradeRoute): void {
    const { socket, id } = asking;
    // The answer to an earlier request on this connection is not written yet (pipelining), and would run into the other protocol.
    if (answerOn(socket)) {
      socket.destroy();
      return;
    }
    // Node has removed its listeners: the part that takes the connection over has to watch for its end.
    socket.on("error", () => socket.destroy());
    try {
      const route = find();
      if ("point" in route) this.#take(route.point, asking, route.target);
      else refuseUpgrade(asking, "target" in route ? { refusal: refusals.notFound } : route);
    } catch (error) {
      this.#host.log("critical", "unexpected error in an upgrade", { run_uuid: id, stack: stackOf(error) });
      socket.destroy();
    }
  }

  /** Takes a connection over. Credentials are read here, so that all protocols hide the same secrets of the query. */
  #take(point: UpgradePoint<Target>, { message, socket, head, id }: Asking, { path, query }: RequestTarget): void {
    if (isTooDeep(hopsOf(message.headers[hopsName]))) {
      refuse(responseOn(message, socket), refusals.loopDetected, id);
      return;
    }
    const read = paramsOf(query, [], []);
    if ("refusal" in read) {
      refuse(responseOn(message, socket), read.refusal, id);
      return;
    }
    const { params } = read;
    const credential = this.#credentials.of(message.headers, params);
    point.take(new Upgrade({ message, socket, head, id, path, params: withoutSecrets(params), credential }));
  }

  /** Closes all connections, since the process ends. */
  async end(): Promise<void> {
    await Promise.all([...this.#protocols].map((protocol) => protocol.end()));
  }
}

/** True for a request for WebSocket (RFC 6455, 4.1). Headers for any other protocol, and those of HTTP/1.0 (RFC 9110, 7.8), are ignored. */
const asksForWebSocket = ({ method, httpVersion, headers: { upgrade = "" } }: IncomingMessage): boolean =>
  method === "GET" && httpVersion !== "1.0" && upgrade.split(",").some((one) => one.trim().toLowerCase() === "websocket");

/** Answers a request whose connection Node has handed over, and closes it. */
function refuseUpgrade({ message, socket, id }: Asking, refusal: Refused): void {
  const response = responseOn(message, socket);
  if ("denial" in refusal) answer(response, refusal.denial, id, true);
  else refuse(response, refusal.refusal, id, refusal.allow);
}
