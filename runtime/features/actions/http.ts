import type { Act } from "../../run/run.ts";
import { answerShape } from "../../shapes/answer.ts";
import { argument, onlyValue } from "../../shapes/arguments.ts";
import { textFormatShape } from "../../shapes/formats.ts";
import { any, anyArray, anyObject, byType, nothing, type Shape, union } from "../../shapes/shape.ts";
import { Failure } from "../../value/failure.ts";
import type { Json, JsonObject } from "../../value/json.ts";
import { text } from "../../value/values.ts";
import type { Action } from "../feature.ts";
import { byContentTypeFor, type DataType, decode, plainBytes, tooLong } from "./http/decode.ts";
import { exchange } from "./http/exchange.ts";
import { follow } from "./http/follow.ts";
import { headersOf } from "./http/headers.ts";
import { measured } from "./http/measured.ts";
import { isWhole, type Pagination, paginate } from "./http/pagination.ts";
import { digestLogin, type RequestArgs, requestOf, timeoutOf } from "./http/request.ts";
import { schema } from "./http/schema.ts";
import { expectedOf, isExpected, namesRedirect, statusFailure } from "./http/status.ts";

/** An `http` block after evaluation. Null means unset, as for every field that held a marker. */
export interface HttpArgs extends RequestArgs {
  readonly expect_status?: Json;
  readonly data_type?: DataType;
  readonly pagination?: Pagination | null;
}

const maxRedirects = 10;

/** Calls an HTTP service; the data is `{status, headers, body}` (spec/language 5.1). Ends early when the run is cancelled. */
export function http(act: Act, args: HttpArgs): Promise<Json> {
  return measured(act, () => fetched(act, args));
}

/** The bounds that all responses of an attempt share. */
interface Bounds {
  /** Milliseconds of the monotonic clock. */
  readonly deadline: number;
  /** Bytes that bodies may still have. */
  left: number;
}

function fetched(act: Act, args: HttpArgs): Promise<JsonObject> {
  const { monotonic, limits } = act.run.host;
  const bounds = { deadline: monotonic() + timeoutOf(args), left: limits.maxResponseBytes };
  const { pagination = null } = args;
  if (pagination === null) return one(act, args, bounds);
  return paginate(act, text(args.url), pagination, (url, leavesOrigin) =>
    one(act, leavesOrigin ? { ...args, url, from_data: linked(args) } : { ...args, url }, bounds),
  );
}

/**
 * Fields whose addresses come from data: a link to the next page is one of them, unless the configuration names the host that links may
 * lead to.
 */
function linked({ from_data = [], pagination }: HttpArgs): NonNullable<HttpArgs["from_data"]> {
  const isNamed = (pagination?.next_link_host ?? null) !== null && !from_data.includes("next_link_host");
  return isNamed ? from_data : [...from_data, "url"];
}

/**
 * Gets one response; an unexpected status fails. The steps are awaited only where they have to wait, because awaiting a value that is there
 * costs a turn for each step.
 */
async function one(act: Act, args: HttpArgs, bounds: Bounds): Promise<JsonObject> {
  const { maxResponseBytes } = act.run.host.limits;
  const expected = expectedOf(args.expect_status ?? null);
  const request = requestOf(act, args);
  const prepared = request instanceof Promise ? await request : request;
  const tap = args.stream === true ? act.stream?.tap((status) => isExpected(expected, status)) : undefined;
  const call = tap === undefined ? prepared : { ...prepared, tap };
  const { deadline } = bounds;
  const digest = digestLogin(args);
  const first = await exchange(act, call, deadline);
  // Only a status from 300 on can ask for another request, by a redirect or a challenge.
  const answer =
    first.status < 300
      ? first
      : await follow(act, call, first, { redirects: namesRedirect(expected) ? 0 : maxRedirects, digest, deadline });
  const { status, headers } = answer;
  const ok = isExpected(expected, status);
  const plain = plainBytes(answer, maxResponseBytes);
  const bytes = plain instanceof Promise ? await (ok ? plain : plain.catch(asSent(answer.bytes))) : plain;
  // The tap reads a compressed body here, once it is complete.
  if (tap !== undefined && bytes !== answer.bytes) tap(status, { ...headers, "content-encoding": "identity" })?.(bytes);
  // With an unexpected status, the status is the error to show: the body is decoded as well as possible.
  const decoded = ok
    ? decode(bytes, headers["content-type"], args.data_type, act, args.stream === true)
    : byContentTypeFor(bytes, headers["content-type"], act);
  const data = { status, headers, body: decoded instanceof Promise ? await decoded : decoded };
  act.run.shared.exchanges?.read(act, answer, bytes, data.body);
  if (!ok) throw statusFailure(expected, status, data);
  // A run inherits this status when a step behind the call fails (spec/language 7.3).
  act.upstream = status >= 400 ? status : undefined;
  bounds.left -= bytes.length;
  if (bounds.left < 0) throw tooLong(maxResponseBytes);
  return data;
}

/** The bytes of a body that cannot be read without its content encoding. */
const asSent =
  (bytes: Buffer) =>
  (error: unknown): Buffer => {
    if (error instanceof Failure) return bytes;
    throw error;
  };

/** `status`, `headers` and `body` (spec/language 5.1.3). */
function shape(args: Shape): Shape {
  const type = argument(args, "data_type");
  const format = byType(type, (one) => {
    const format = onlyValue(one);
    return typeof format === "string" ? textFormatShape(format) : any;
  });
  const pages = argument(args, "pagination");
  const rows = byType(pages, (one) => {
    if (one.type !== "object") return one.type === "null" ? union(format, nothing) : any;
    const key = onlyValue(argument(one, "payload_key"));
    if (key !== null && typeof key !== "string") return any;
    return isWhole(key) ? anyArray : anyObject;
  });
  return answerShape(rows);
}

export const spec: Action<HttpArgs> = {
  summary: "Call an HTTP service.",
  schema,
  effect: "network",
  statuses: true,
  streams: true,
  decodes: ["body"],
  addresses: { url: ["url"], proxy: ["proxy"], next_link_host: ["pagination", "next_link_host"] },
  reveals: {
    address: [["url"]],
    file: [
      ["multipart", "*", "filename"],
      ["multipart", "*", "file_path"],
    ],
  },
  secret: ["headers", "pass", "digest_auth_pass", "bearer_auth", "proxy"],
  asks: { headers: headersOf },
  run: http,
  shape,
  failure: () => answerShape(any),
};
