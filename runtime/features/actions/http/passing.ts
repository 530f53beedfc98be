import type { Address } from "../../../outgoing/address.ts";
import type { Run } from "../../../run/run.ts";
import { isObject, type Json, own } from "../../../value/json.ts";
import { text } from "../../../value/values.ts";

/** The parts of the incoming request that are sent on (spec/language 5.1.1). */
export interface Passing {
  readonly proxy_body?: boolean | null;
  readonly proxy_method?: boolean | null;
  readonly proxy_query?: boolean | null;
  /** `true` passes all headers on that belong to the request itself; a list passes those headers on. */
  readonly proxy_headers?: Json;
}

/** Headers of one hop (RFC 9110, 7.6.1), and those that belong to the message that came in. */
const hop: ReadonlySet<string> = new Set([
  ...["connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding"],
  ...["upgrade", "expect", "host", "content-length"],
]);

/**
 * Headers that are passed on only when they are named: the first says what the caller can decode, the others describe a body that may not
 * be sent on.
 */
const ofCaller: ReadonlySet<string> = new Set(["accept-encoding", "content-type", "content-encoding"]);

/** The headers to pass on. The headers that describe a body go with the body. */
export function passedHeaders(run: Run, { proxy_headers = null }: Passing, sendsBody: boolean): [string, Json][] {
  if (proxy_headers === null && !sendsBody) return [];
  const { headers } = run.request;
  if (!isObject(headers)) return [];
  const all = proxy_headers === true || proxy_headers === "true";
  const listed = new Set((Array.isArray(proxy_headers) ? proxy_headers : []).map((name) => text(name).toLowerCase()));
  const connection = new Set(
    text(own(headers, "connection") ?? null)
      .toLowerCase()
      .split(/\s*,\s*/),
  );
  const withBody = sendsBody ? ["content-type", "content-encoding"] : [];
  return Object.entries(headers).filter(
    ([name]) => !hop.has(name) && !connection.has(name) && (listed.has(name) || withBody.includes(name) || (all && !ofCaller.has(name))),
  );
}

/** The body as it came in; null when there was none. */
export function passedBody({ received: { bytes, raw_body } }: Run): Buffer | null {
  const body = bytes ?? Buffer.from(raw_body ?? "");
  return body.length === 0 ? null : body;
}

/** The query of the URL and that of the incoming request, as it was written; a name that the URL has stays as it is there. */
export function passedQuery(url: Address, { received: { query = "" } }: Run): string {
  const added = query.split("&").filter((pair) => !isIn(url, pair));
  const parts = [url.search.slice(1), added.join("&")].filter((part) => part !== "");
  return parts.length === 0 ? "" : `?${parts.join("&")}`;
}

const isIn = (url: Address, pair: string): boolean => [...new URLSearchParams(pair).keys()].some((name) => url.searchParams.has(name));
