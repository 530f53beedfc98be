import type { Act } from "../act.ts";
import type { Action } from "../feature.ts";
import type { Json, JsonObject } from "../json.ts";
import { text } from "../values.ts";
import { byContentType, type DataType, decode, plainBytes, tooLong } from "./http/decode.ts";
import { follow } from "./http/follow.ts";
import { type Pagination, paginate } from "./http/pagination.ts";
import { digestLogin, type RequestArgs, requestOf, timeoutOf } from "./http/request.ts";
import { schema } from "./http/schema.ts";
import { defaultExpected, isExpected, namesRedirect, type StatusMatcher, statusFailure } from "./http/status.ts";

/** An `http` block after evaluation. Null means unset, as for every field that held a marker. */
export interface HttpArgs extends RequestArgs {
  readonly expect_status?: StatusMatcher | readonly StatusMatcher[] | null;
  readonly data_type?: DataType;
  readonly pagination?: Pagination | null;
}

const maxRedirects = 10;

/** Calls an HTTP service; the data is `{status, headers, body}` (language.md 5.1). Ends early when the run is cancelled. */
export async function http(act: Act, args: HttpArgs): Promise<Json> {
  const { config, interface: target, host } = act.run;
  const meter = config.metrics?.(host);
  if (meter === undefined) return fetched(act, args);
  const began = host.monotonic();
  try {
    return await fetched(act, args);
  } finally {
    meter.called({ config: config.name, interface: target.name, action: act.name }, host.monotonic() - began);
  }
}

async function fetched(act: Act, args: HttpArgs): Promise<Json> {
  const { monotonic, limits } = act.run.host;
  // The time of an attempt is that of all it sends.
  const deadline = monotonic() + timeoutOf(args);
  if (args.pagination === undefined || args.pagination === null) return (await one(act, args, deadline)).data;
  let left = limits.maxResponseBytes;
  return paginate(act, text(args.url), args.pagination, async (url) => {
    const { data, size } = await one(act, { ...args, url }, deadline);
    left -= size;
    if (left < 0) throw tooLong(limits.maxResponseBytes);
    return data;
  });
}

/** One response, and how many bytes its body has; a missed status fails. */
async function one(act: Act, args: HttpArgs, deadline: number): Promise<{ readonly data: JsonObject; readonly size: number }> {
  const expected = matchers(args.expect_status);
  const redirects = namesRedirect(expected) ? 0 : maxRedirects;
  const answer = await follow(act, await requestOf(act, args), { redirects, digest: digestLogin(args), deadline });
  const { status, headers } = answer;
  const bytes = await plainBytes(answer, act.run.host.limits.maxResponseBytes);
  const ok = isExpected(expected, status);
  // A missed status is the error to show, so its body is decoded as well as can be.
  const body = await (ok
    ? decode(bytes, headers["content-type"], args.data_type, args.stream === true)
    : byContentType(bytes, headers["content-type"]));
  const data = { status, headers, body };
  if (!ok) throw statusFailure(expected, status, data);
  return { data, size: bytes.length };
}

function matchers(given: HttpArgs["expect_status"]): readonly StatusMatcher[] {
  if (given === undefined || given === null) return defaultExpected;
  return typeof given === "object" ? given : [given];
}

export const spec: Action<HttpArgs> = {
  summary: "Call an HTTP service.",
  schema,
  effect: "network",
  secret: ["headers", "pass", "digest_auth_pass", "bearer_auth", "proxy"],
  run: http,
};
