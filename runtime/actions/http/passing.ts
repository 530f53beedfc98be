import { isObject, type Json, type JsonObject, own } from "../../json.ts";
import { encodeForm } from "../../lib/form.ts";
import type { Run } from "../../run.ts";
import { text } from "../../values.ts";

/** What of the incoming request is sent on (language.md 5.1.1). */
export interface Passing {
  readonly proxy_body?: boolean | null;
  readonly proxy_method?: boolean | null;
  readonly proxy_query?: boolean | null;
  /** `true`: all that say something of the request; a list: those. */
  readonly proxy_headers?: Json;
}

/** Headers of one hop (RFC 9110, 7.6.1), and those that belong to the message that came in. */
const hop: ReadonlySet<string> = new Set([
  ...["connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding"],
  ...["upgrade", "expect", "host", "content-length"],
]);

/** Not sent on unless they are named: the first says what the caller can decode, the others speak of a body that may stay here. */
const ofCaller: ReadonlySet<string> = new Set(["accept-encoding", "content-type", "content-encoding"]);

/** The headers to send on. With the body goes what says how to read it. */
export function passedHeaders(run: Run, { proxy_headers = null }: Passing, sendsBody: boolean): [string, Json][] {
  if (proxy_headers === null && !sendsBody) return [];
  const { headers } = run.request;
  if (!isObject(headers)) return [];
  const all = proxy_headers === true || proxy_headers === "true";
  const named = new Set((Array.isArray(proxy_headers) ? proxy_headers : []).map((name) => text(name).toLowerCase()));
  const connection = new Set(
    text(own(headers, "connection") ?? null)
      .toLowerCase()
      .split(/\s*,\s*/),
  );
  const withBody = sendsBody ? ["content-type", "content-encoding"] : [];
  return Object.entries(headers).filter(
    ([name]) => !hop.has(name) && !connection.has(name) && (named.has(name) || withBody.includes(name) || (all && !ofCaller.has(name))),
  );
}

/** The body as it came in; null when there was none. */
export function passedBody({ raw_body, request }: Run): Buffer | null {
  if (typeof raw_body !== "string") return null;
  const latin1 = Buffer.from(raw_body, "latin1");
  return isBinary(latin1, request) ? latin1 : Buffer.from(raw_body);
}

/** Bytes that are no UTF-8 have come as one character each (surfaces.md 1): such a body was decoded or is read as Base64. */
function isBinary(latin1: Buffer, { headers, body }: JsonObject): boolean {
  const encoding = isObject(headers) ? text(own(headers, "content-encoding") ?? null) : "";
  return !/^(?:identity)?$/i.test(encoding.trim()) || latin1.toString("base64") === body;
}

/** Adds the query of the incoming request; what the URL already has stays. */
export function withPassedQuery(url: URL, run: Run): URL {
  const route = new Set(routeNames(run.interface.http?.route ?? ""));
  const fields = Object.entries(run.input.params).filter(([name]) => !route.has(name) && !url.searchParams.has(name));
  const query = encodeForm(Object.fromEntries(fields));
  if (query === "") return url;
  const whole = new URL(url);
  whole.search = url.search === "" ? query : `${url.search}&${query}`;
  return whole;
}

/** `:id`, `{id}` and a last `*rest` (decisions.md A9): they are parameters, but not of the query. */
function routeNames(route: string): string[] {
  return route.split("/").flatMap(
    (segment) =>
      /^(?:[:*](.*)|\{(.+)\})$/s
        .exec(segment)
        ?.slice(1)
        .filter((name) => name !== undefined) ?? [],
  );
}
