import type { IncomingMessage } from "node:http";
import type { Host } from "../../process/host.ts";
import type { Target } from "../../run/interface.ts";
import { clientGone } from "../../run/refusals.ts";
import type { TraceSpan } from "../../tracing/tracer.ts";
import type { JsonObject } from "../../value/json.ts";
import type { Outgoing } from "./outgoing.ts";

/** Counts and traces a request of an interface, from now until its answer has been sent or its client has disconnected. */
export function watch(
  { config, interface: target }: Target,
  message: IncomingMessage,
  response: Outgoing,
  host: Host,
): TraceSpan | undefined {
  const meter = config.metrics?.(host);
  const { tracer } = host;
  if (meter === undefined && tracer === undefined) return undefined;
  const finish = meter?.begins({ config: config.name, interface: target.name, trigger: "http" });
  const { method = "GET", url = "", headers } = message;
  const route = `/${(target.http?.route ?? "").replace(/^\//, "")}`;
  const attributes = {
    "http.request.method": method,
    "url.scheme": "http",
    "url.path": url.replace(/^https?:\/\/[^/?]*/i, "").replace(/\?.*$/s, ""),
    "http.route": route,
    "network.protocol.version": message.httpVersion,
  };
  // Node gives strings; the tracer checks the headers of a trace.
  const span = tracer?.begin(`${method} ${route}`, "server", attributes, headers as JsonObject);
  response.once("close", () => {
    const status = response.headersSent ? response.statusCode : clientGone;
    finish?.(status);
    span?.endWith(status);
  });
  return span;
}
