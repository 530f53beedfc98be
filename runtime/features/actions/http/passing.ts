import type { Address } from "../../../outgoing/address.ts";
import type { Run } from "../../../run/run.ts";
import { isObject, type Json, own } from "../../../value/json.ts";
import { refuse, text } from "../../../value/values.ts";

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
  const { all, listed } = wishOf(proxy_headers);
  if (!all && listed.size === 0 && !sendsBody) return [];
  const { headers } = run.request;
  if (!isObject(headers)) return [];
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

/** Reads `proxy_headers`, whose marker may have given anything: an action fails by it before it sends (spec/language 2.7). */
function wishOf(value: Json): { readonly all: boolean; readonly listed: ReadonlySet<string> } {
  if (Array.isArray(value)) return { all: false, listed: new Set(value.map((name) => text(name).toLowerCase())) };
  const all = value === true || value === "true";
  if (!all && value !== null && value !== false && value !== "false") refuse("proxy_headers", "boolean or list of strings", value);
  return { all, listed: new Set() };
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
