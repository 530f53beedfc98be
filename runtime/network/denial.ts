import type { PolicyScalars } from "../plan/index.ts";
import type { Reply } from "../run/response.ts";

/**
 * The answer to a denied caller (spec/surfaces 9). `wait` is the milliseconds until a rate limit has room again. A header of the author
 * overrides ours.
 */
export function denial({ status = 403, body = { error: "forbidden" }, headers = {} }: PolicyScalars["on_deny"] = {}, wait?: number): Reply {
  const text = typeof body === "string";
  return {
    status,
    headers: {
      "content-type": text ? "text/plain; charset=utf-8" : "application/json",
      ...(wait === undefined ? {} : { "retry-after": String(Math.max(1, Math.ceil(wait / 1000))) }),
      ...headers,
    },
    body: text ? body : JSON.stringify(body),
  };
}
