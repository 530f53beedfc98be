import { encodeForm } from "../../../formats/form.ts";
import type { Address } from "../../../outgoing/address.ts";
import type { Trust } from "../../../outgoing/agents.ts";
import type { Act } from "../../../run/run.ts";
import type { TraceSpan } from "../../../tracing/tracer.ts";
import { header } from "../../../value/holes.ts";
import { isObject, type Json } from "../../../value/json.ts";
import { authorization, type Credentials } from "./authentication.ts";
import type { DigestLogin } from "./digest.ts";
import type { HttpCall } from "./exchange.ts";
import { headersOf } from "./headers.ts";
import { addIdempotencyKey, type Idempotency } from "./idempotency.ts";
import { decoded, type FormPart, multipart } from "./multipart.ts";
import { type Passing, passedBody, passedHeaders, passedQuery } from "./passing.ts";
import { target } from "./target.ts";
import { type TransportArgs, transportOf } from "./transport.ts";

/** The part of an `http` block that says what is sent. Null means unset, as for every field that held a marker. */
export interface RequestArgs extends Credentials, Passing, TransportArgs {
  readonly url: Json;
  readonly method?: string | null;
  readonly headers?: Readonly<Record<string, Json>> | null;
  /** A string is sent as it is, anything else as JSON, null as no body; its presence makes POST the default method. */
  readonly body?: Json;
  /** Set by the compiler when `body` is the text of a JSON template, which decides the default content type. */
  readonly body_is_json?: boolean;
  readonly base64_bytes?: string | null;
  readonly multipart?: readonly FormPart[] | null;
  readonly digest_auth_user?: string | null;
  readonly digest_auth_pass?: string | null;
  readonly idempotency?: Idempotency | null;
  /** Milliseconds of one attempt, redirects included. */
  readonly timeout?: number | null;
  /** Milliseconds until the request can be written. */
  readonly connect_timeout?: number | null;
  /** Milliseconds without a byte once the response has begun. */
  readonly idle_timeout?: number | null;
  /** Lines of JSON are events, too. */
  readonly stream?: boolean | null;
  /** Set by the compiler: the fields whose addresses come from data, and are therefore checked. */
  readonly from_data?: readonly ("url" | "proxy" | "next_link_host")[];
  /** The span of the call, where it is a part of an action that has more of them. */
  readonly span?: TraceSpan;
  /** Hosts that may be called. Null, which an unset marker gives, allows none. */
  readonly allowed_hosts?: Json;
}

/** The request that a block asks for, complete but for what a redirect or a challenge changes. */
export function requestOf(act: Act, args: RequestArgs): HttpCall | Promise<HttpCall> {
  const { run } = act;
  const { url, credentials } = target(args.url);
  const headers = headersOf(args.headers ?? {}, passedHeaders(run, args, sendsOn(args)));
  const login = authorization(args);
  if (login !== undefined) headers.set("authorization", login);
  else if (credentials !== undefined && !headers.has("authorization")) headers.set("authorization", credentials);
  if (args.idempotency !== undefined && args.idempotency !== null) addIdempotencyKey(act, args.idempotency, headers);
  const body = bodyOf(act, args, headers);
  return body instanceof Promise ? body.then((bytes) => callOf(act, args, url, headers, bytes)) : callOf(act, args, url, headers, body);
}

/** Makes every call with the same members in the same order, so that V8 keeps the code fast that reads calls. */
function callOf(act: Act, args: RequestArgs, url: Address, headers: Map<string, string>, body: HttpCall["body"]): HttpCall {
  return {
    method: methodOf(act, args),
    url,
    query: args.proxy_query === true ? passedQuery(url, act.run) : url.search,
    headers,
    body,
    timeout: timeoutOf(args),
    connectTimeout: args.connect_timeout ?? 10_000,
    idleTimeout: args.idle_timeout ?? null,
    streams: args.stream === true,
    transport: transportOf(args),
    trust: args.from_data === undefined ? undefined : trustIn(args.from_data),
    span: args.span,
    allowed: args.allowed_hosts,
  };
}

const trustIn = (fields: NonNullable<RequestArgs["from_data"]>): Trust => ({
  address: !fields.includes("url"),
  proxy: !fields.includes("proxy"),
});

/** Milliseconds of one attempt. */
export const timeoutOf = ({ timeout }: RequestArgs): number => timeout ?? 30_000;

/** The user and password for Digest authentication; undefined when neither is set. */
export function digestLogin({ digest_auth_user = null, digest_auth_pass = null }: RequestArgs): DigestLogin | undefined {
  if (digest_auth_user === null && digest_auth_pass === null) return undefined;
  return { user: header(digest_auth_user, "digest_auth_user") ?? "", pass: digest_auth_pass ?? "" };
}

/** True when the block has a body, also where its marker is unset: the default method must not depend on data. */
const hasBody = ({ body, multipart, base64_bytes }: RequestArgs): boolean =>
  body !== undefined || multipart !== undefined || base64_bytes !== undefined;

/** The fields of the block win over those of the incoming request. */
const sendsOn = (args: RequestArgs): boolean => args.proxy_body === true && !hasBody(args);

function methodOf({ run }: Act, args: RequestArgs): string {
  const passed = args.proxy_method === true ? run.request.method : null;
  return (args.method ?? (typeof passed === "string" ? passed : hasBody(args) ? "POST" : "GET")).toUpperCase();
}

/** The bytes to send; sets their content type, unless one is given. */
function bodyOf(act: Act, args: RequestArgs, headers: Map<string, string>): string | Buffer | null | Promise<Buffer> {
  if (args.multipart !== undefined && args.multipart !== null) return formOf(act, args.multipart, headers);
  if (args.base64_bytes !== undefined && args.base64_bytes !== null) {
    if (!headers.has("content-type")) headers.set("content-type", "application/octet-stream");
    return decoded(args.base64_bytes, "base64_bytes");
  }
  if (sendsOn(args)) return passedBody(act.run);
  return payloadOf(args, headers);
}

async function formOf(act: Act, parts: readonly FormPart[], headers: Map<string, string>): Promise<Buffer> {
  const { bytes, type } = await multipart(act, parts);
  // The boundary of the parts is known only here.
  headers.set("content-type", type);
  return bytes;
}

/** `body` as it is sent (spec/language 5.1.1). */
function payloadOf({ body = null, body_is_json }: RequestArgs, headers: Map<string, string>): string | null {
  if (body === null) return null;
  const type = headers.get("content-type");
  if (typeof body === "string") {
    if (type === undefined) headers.set("content-type", body_is_json ? "application/json" : "text/plain; charset=utf-8");
    return body;
  }
  if (isObject(body) && type !== undefined && /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type)) return encodeForm(body);
  if (type === undefined) headers.set("content-type", "application/json");
  return JSON.stringify(body);
}
