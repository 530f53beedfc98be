import type { ServerResponse } from "node:http";
import type { Json } from "#runtime/value/json.ts";
import { type Stub, stub } from "../sockets.ts";

/** The answer of the stub to a method and path; the first matching rule is taken. */
export interface UpstreamRule {
  /** Default GET. */
  readonly method?: string;
  /** The path; when it has no `?`, the query of the request is ignored. */
  readonly path: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** A text is sent as it is, anything else as JSON with its content type. */
  readonly body?: Json;
  /** Bytes in place of `body`, which may be no UTF-8. */
  readonly base64?: string;
  readonly delay_ms?: number;
  /** Never answers. */
  readonly silent?: true;
}

/** A real HTTP server that answers by rules and records its requests. */
export function upstream(rules: readonly UpstreamRule[]): Promise<Stub> {
  return stub((response, { method = "", url = "" }) => {
    const rule = rules.find((each) => fits(each, method, url));
    if (rule === undefined) answer(response, { path: url, status: 404, body: { error: "no stub" } });
    else if (rule.delay_ms === undefined) answer(response, rule);
    else setTimeout(() => answer(response, rule), rule.delay_ms);
  });
}

function fits(rule: UpstreamRule, method: string, url: string): boolean {
  const path = rule.path.includes("?") ? url : url.split("?")[0];
  return (rule.method ?? "GET") === method && rule.path === path;
}

function answer(response: ServerResponse, { status = 200, headers = {}, body, base64, silent }: UpstreamRule): void {
  if (silent) return;
  // The header `Date` is left out, because a config that reads headers would see another value each second.
  response.sendDate = false;
  if (base64 !== undefined) {
    response.writeHead(status, headers).end(Buffer.from(base64, "base64"));
    return;
  }
  const isText = typeof body === "string";
  response.writeHead(status, { ...(body === undefined || isText ? {} : { "content-type": "application/json" }), ...headers });
  response.end(body === undefined || isText ? body : JSON.stringify(body));
}
