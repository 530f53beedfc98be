import type { IncomingMessage } from "node:http";
import type { Host } from "../../process/host.ts";
import type { Target } from "../../run/interface.ts";
import { type Refusal, refusals } from "../../run/refusals.ts";
import type { Reply } from "../../run/response.ts";
import { denialOf } from "../denial.ts";
import type { UpgradePoint } from "../protocol.ts";
import { type RequestTarget, requestTarget } from "./request.ts";
import { allowOf, type RouteMatch, RouteTable } from "./routes.ts";
import { isUnambiguous, maxTarget } from "./server.ts";
import type { Destination } from "./table.ts";
import type { Upgrades } from "./upgrade.ts";

export type Match = Extract<RouteMatch<Destination>, { kind: "route" }>;

/** The target of a request, found before its body is read. Without a match no interface here serves the request. */
export type RequestRoute =
  | { readonly refusal: Refusal; readonly allow?: readonly string[] }
  /** The network policy of the interface has refused the caller. */
  | { readonly denial: Reply; readonly of?: Destination }
  | { readonly point: UpgradePoint<Target>; readonly target: RequestTarget }
  | { readonly target: RequestTarget; readonly match: Match | undefined };

const upgradeNeeded: RequestRoute = { refusal: refusals.upgradeRequired };

/** Finds the targets of requests: by their paths, the routes, and the network policies. */
export class Finder {
  readonly #host: Host;
  readonly #upgrades: Upgrades;
  #routes = new RouteTable<Destination>();

  constructor(host: Host, upgrades: Upgrades) {
    this.#host = host;
    this.#upgrades = upgrades;
  }

  /** Finds targets among these routes from now on. */
  serve(routes: RouteTable<Destination>): void {
    this.#routes = routes;
  }

  /**
   * Finds the target of a request, or only looks up the one that its path has for another method. With `probe` a path of another protocol
   * is only looked up, too. A caller who looks up does not count towards limits.
   */
  find(message: IncomingMessage, probe: boolean, method = message.method ?? "GET"): RequestRoute {
    const { url = "/" } = message;
    if (!isUnambiguous(message)) return { refusal: refusals.badRequest };
    if (url.length > maxTarget) return { refusal: refusals.uriTooLong };
    const target = requestTarget(url);
    if (target === undefined) return { refusal: refusals.invalidParam };
    const point = this.#upgrades.at(target.path);
    if (point !== undefined) return this.#judgeUpgrade(point, target, message, probe);
    const route = this.#routes.find(method, target.path);
    if (route.kind === "invalid") return { refusal: refusals.invalidParam };
    if (route.kind === "method") return this.#wrongMethod(message, route.served);
    if (route.kind === "none") return this.#upgrades.isPlain(target.path, message) ? upgradeNeeded : { target, match: undefined };
    const denial = this.#denial(route.target, message, method !== message.method);
    return denial === undefined ? { target, match: route } : { denial, of: route.target };
  }

  #judgeUpgrade(point: UpgradePoint<Target>, target: RequestTarget, message: IncomingMessage, probe: boolean): RequestRoute {
    const denial = point.of === undefined ? undefined : this.#denial(point.of, message, probe);
    if (denial !== undefined) return { denial };
    const { method } = message;
    return method === "GET" || method === "HEAD" ? { point, target } : { refusal: refusals.methodNotAllowed, allow: ["GET"] };
  }

  /**
   * Lists the allowed methods, but only those of interfaces that the caller may reach. A caller that may reach none gets the denial of
   * their policy.
   */
  #wrongMethod(message: IncomingMessage, methods: ReadonlyMap<string, Destination>): RequestRoute {
    const judged = [...methods].map(([method, destination]) => ({ method, denial: this.#denial(destination, message, true) }));
    const open = judged.filter(({ denial }) => denial === undefined).map(({ method }) => method);
    const [denial] = judged.flatMap(({ denial }) => denial ?? []);
    if (open.length === 0 && denial !== undefined) return { denial };
    return { refusal: refusals.methodNotAllowed, allow: allowOf(open) };
  }

  /** The denial of an interface's network policy, before any part of the request is read (spec/surfaces 0.3). */
  #denial(destination: Destination, { headers, socket }: IncomingMessage, probe = false): Reply | undefined {
    if ("service" in destination) return undefined;
    return denialOf(destination, { headers, peer: socket.remoteAddress }, this.#host, { probe });
  }
}
