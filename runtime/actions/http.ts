import type { Act } from "../act.ts";
import { Failure } from "../failure.ts";
import type { Action } from "../feature.ts";
import type { Json } from "../json.ts";
import { type DataType, decode } from "./http/decode.ts";
import { type Answer, exchange, type HttpCall } from "./http/exchange.ts";
import { redirected } from "./http/redirect.ts";
import { headersOf, payloadOf } from "./http/request.ts";
import { schema } from "./http/schema.ts";
import { defaultExpected, isExpected, namesRedirect, type StatusMatcher, statusFailure } from "./http/status.ts";
import { target } from "./http/target.ts";

/** An `http` block after evaluation. Null means unset, as for every field that held a marker. */
export interface HttpArgs {
  readonly url: Json;
  readonly method?: string | null;
  readonly headers?: Readonly<Record<string, Json>> | null;
  /** A string is sent as it is, anything else as JSON, null as no body; its presence makes POST the default method. */
  readonly body?: Json;
  /** The compiler's word that `body` is the text of a JSON template, which decides its default content type. */
  readonly body_is_json?: boolean;
  readonly expect_status?: StatusMatcher | readonly StatusMatcher[] | null;
  readonly data_type?: DataType;
  /** Milliseconds of one attempt, redirects included. */
  readonly timeout?: number | null;
  /** Milliseconds until the request can be written. */
  readonly connect_timeout?: number | null;
}

const maxRedirects = 10;

/** Calls an HTTP service; the data is `{status, headers, body}` (language.md 5.1). Ends early when the run is cancelled. */
export async function http(act: Act, args: HttpArgs): Promise<Json> {
  const expected = matchers(args.expect_status);
  const answer = await follow(act, call(args), namesRedirect(expected) ? 0 : maxRedirects);
  const ok = isExpected(expected, answer.status);
  // A missed status is the error to show, so its body is decoded as well as can be.
  const data = {
    status: answer.status,
    headers: answer.headers,
    body: await decode(answer, ok ? args.data_type : null, act.run.host.limits),
  };
  if (!ok) throw statusFailure(expected, answer.status, data);
  return data;
}

function matchers(given: HttpArgs["expect_status"]): readonly StatusMatcher[] {
  if (given === undefined || given === null) return defaultExpected;
  return typeof given === "object" ? given : [given];
}

function call(args: HttpArgs): HttpCall {
  const { url, credentials } = target(args.url);
  const headers = headersOf(args.headers ?? {});
  if (credentials !== undefined && !headers.has("authorization")) headers.set("authorization", credentials);
  const body = payloadOf(args, headers);
  const method = (args.method ?? (args.body === undefined ? "GET" : "POST")).toUpperCase();
  return { method, url, headers, body, timeout: args.timeout ?? 30_000, connectTimeout: args.connect_timeout ?? 10_000 };
}

/** Sends the call and those that its redirects ask for; the time limit covers them all. */
async function follow(act: Act, first: HttpCall, redirects: number): Promise<Answer> {
  const { host } = act.run;
  const deadline = host.monotonic() + first.timeout;
  let call = first;
  for (let left = redirects; ; left--) {
    const answer = await exchange(act, call, deadline);
    const next = redirects === 0 ? undefined : redirected(call, answer);
    if (next === undefined) return answer;
    if (left === 0) throw new Failure("transport", "http connect failed: too many redirects", { upstream: 502 });
    call = next;
  }
}

export const spec: Action<HttpArgs> = {
  summary: "Call an HTTP service.",
  schema,
  effect: "network",
  secret: ["headers", "pass", "digest_auth_pass", "bearer_auth"],
  run: http,
};
