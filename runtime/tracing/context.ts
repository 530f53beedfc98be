import { type JsonObject, own } from "../value/json.ts";

/** The context of a span (W3C Trace Context). Ids are hexadecimal. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly sampled: boolean;
  /** The `tracestate` of the request, or empty. */
  readonly state: string;
  /** True when the context was read from a request. */
  readonly isRemote: boolean;
}

/** Names and values of headers. */
export type Headers = readonly (readonly [string, string])[];

/** A `traceparent`. Later versions of the standard may have more text after the flags; version 00 has none. */
const traceparent = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/s;

/** The context that a caller sends; undefined when it sends none, or an invalid one. */
export function contextOf(headers: JsonObject): TraceContext | undefined {
  const header = own(headers, "traceparent");
  const match = typeof header === "string" ? traceparent.exec(header.trim()) : null;
  if (match === null) return undefined;
  const [, version, traceId = "", spanId = "", flags = "", more] = match;
  if (version === "00" && more !== undefined) return undefined;
  const state = own(headers, "tracestate");
  const sampled = (Number.parseInt(flags, 16) & 1) === 1;
  return { traceId, spanId, sampled, state: typeof state === "string" ? stateOf(state) : "", isRemote: true };
}

/** The headers that continue a trace in another service. */
export function headersOf({ traceId, spanId, sampled, state }: TraceContext): Headers {
  const parent = ["traceparent", `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`] as const;
  return state === "" ? [parent] : [parent, ["tracestate", state]];
}

const member =
  /^(?:[a-z][a-z0-9_\-*/]{0,255}|[a-z0-9][a-z0-9_\-*/]{0,240}@[a-z][a-z0-9_\-*/]{0,13})=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;

/** The `tracestate`; empty unless the whole list is valid, because it is sent on to other services in a header. */
function stateOf(text: string): string {
  if (text.length > 2_048) return "";
  const members = text
    .split(",")
    .map((one) => one.replace(/^[ \t]+|[ \t]+$/g, ""))
    .filter((one) => one !== "");
  return members.length <= 32 && members.every((one) => member.test(one)) ? members.join(",") : "";
}

/**
 * True when the trace is sampled. All services decide in the same way, because they read the decision from the end of the trace id, which
 * is random.
 */
export function sampledByRatio(traceId: string, ratio: number): boolean {
  if (ratio >= 1) return true;
  return Number.parseInt(traceId.slice(-13), 16) < ratio * 16 ** 13;
}
