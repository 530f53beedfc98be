import type { IncomingMessage } from "node:http";
import { ipOf } from "../network/chain.ts";
import { hopsName, hopsOf, isTooDeep } from "../outgoing/hops.ts";
import type { Host } from "../process/host.ts";
import { Execution } from "../run/execution.ts";
import type { Interface } from "../run/interface.ts";
import { LiveRun } from "../run/live-run.ts";
import { refusals } from "../run/refusals.ts";
import { attributesOf } from "../tracing/run-span.ts";
import type { JsonObject } from "../value/json.ts";
import { stackOf } from "../value/thrown.ts";
import { answer } from "./http/answer.ts";
import { HttpAsker } from "./http/asker.ts";
import { receive } from "./http/body.ts";
import { callerIdOf } from "./http/caller-id.ts";
import { Finder, type Match, type RequestRoute } from "./http/finder.ts";
import type { Outgoing } from "./http/outgoing.ts";
import { PendingRuns } from "./http/pending.ts";
import { refuse } from "./http/refusal.ts";
import { HttpRequest, paramsOf, type RequestTarget } from "./http/request.ts";
import { RequestIds } from "./http/request-ids.ts";
import type { RouteTable } from "./http/routes.ts";
import type { Destination } from "./http/table.ts";
import type { Upgrades } from "./http/upgrade.ts";
import { watch } from "./http/watch.ts";

/** Answers requests with runs of interfaces (spec/surfaces 0 and 1), from whatever server they come. */
export class HttpTrigger {
  /** Runs whose clients wait. */
  readonly pending: PendingRuns;
  readonly #host: Host;
  readonly #ids: RequestIds;
  readonly #finder: Finder;
  /** `draining`: connections close after their answers; `closing`: new requests are refused. */
  state: "serving" | "draining" | "closing" = "serving";

  constructor(host: Host, upgrades: Upgrades) {
    this.#host = host;
    this.#ids = new RequestIds(host.bytes);
    this.pending = new PendingRuns();
    this.#finder = new Finder(host, upgrades);
  }

  /** Serves these routes from now on; requests under way continue with the earlier ones. */
  serve(routes: RouteTable<Destination>): void {
    this.#finder.serve(routes);
  }

  /** True when connections close after their answers. */
  get closes(): boolean {
    return this.state !== "serving";
  }

  /** Makes an id for a request whose caller has sent none. */
  nextId(): string {
    return this.#ids.next();
  }

  /** Finds the target of a request; see `Finder`. */
  find(message: IncomingMessage, probe: boolean, method?: string): RequestRoute {
    return this.state === "closing" ? { refusal: refusals.shuttingDown } : this.#finder.find(message, probe, method);
  }

  /** Answers a request, or leaves it to `elsewhere` when no route has its path. */
  handle(message: IncomingMessage, response: Outgoing, elsewhere: () => void): void {
    try {
      this.#lead(message, response, elsewhere);
    } catch (error) {
      this.bug(error, response, this.nextId());
    }
  }

  #lead(message: IncomingMessage, response: Outgoing, elsewhere: () => void): void {
    const route = this.find(message, true);
    if ("refusal" in route) refuse(response, route.refusal, this.nextId(), route.allow);
    else if ("point" in route) refuse(response, refusals.upgradeRequired, this.nextId());
    else if ("denial" in route) {
      if (route.of !== undefined && !("service" in route.of)) watch(route.of, message, response, this.#host);
      answer(response, route.denial, this.nextId(), this.closes);
    } else if (route.match === undefined) elsewhere();
    else this.#serve(message, response, route.match, route.target);
  }

  #serve(message: IncomingMessage, response: Outgoing, match: Match, { path, query }: RequestTarget): void {
    const id = this.nextId();
    const { target: destination, names, values } = match;
    if ("service" in destination) {
      destination.service(response, id, message);
      return;
    }
    const caller = callerIdOf(message, destination.interface);
    const requestId = caller?.isTrusted ? caller.text : id;
    const span = watch(destination, message, response, this.#host);
    if (isTooDeep(hopsOf(message.headers[hopsName]))) {
      refuse(response, refusals.loopDetected, requestId);
      return;
    }
    const read = paramsOf(query, names, values);
    if ("refusal" in read) {
      refuse(response, read.refusal, requestId);
      return;
    }
    receive({ message, response }, this.#host.limits, (received) => {
      if ("code" in received) {
        refuse(response, received, requestId);
        return;
      }
      const request = new HttpRequest(message, { id, caller }, path, read.params, received, () =>
        this.#ipOf(destination.interface, message),
      );
      const run = new LiveRun(this.#host, destination.config, destination.interface, request);
      if (span !== undefined) run.span = span.child(run.interface.name, attributesOf(run));
      const asker = new HttpAsker(run, response, this.pending, () => this.closes);
      new Execution(run, { asker, follower: asker, mayBeEarly: true }).begin();
    });
  }

  #ipOf({ network }: Interface, { headers, socket }: IncomingMessage): JsonObject {
    const caller = { headers, peer: socket.remoteAddress };
    return network === undefined ? ipOf(caller) : network.ip(caller, this.#host);
  }

  /** Handles an error that no feature meant to throw: the caller gets a bare 500, the log has the stack, the process lives. */
  bug(error: unknown, response: Outgoing, id: string): void {
    this.#host.log("critical", "unexpected error in a run", { run_uuid: id, stack: stackOf(error) });
    if (!response.headersSent) refuse(response, refusals.internalError, id);
    else if (!response.writableEnded) response.destroy();
  }
}
