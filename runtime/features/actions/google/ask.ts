import { parseJson } from "../../../formats/json-text.ts";
import { withService } from "../../../outgoing/service-failure.ts";
import type { Act } from "../../../run/run.ts";
import { Failure } from "../../../value/failure.ts";
import { isObject, type Json, type JsonObject, own } from "../../../value/json.ts";
import type { Answer } from "../http/answer.ts";
import { byContentType, plainBytes } from "../http/decode.ts";
import { exchange } from "../http/exchange.ts";
import { measured } from "../http/measured.ts";

/** A request to a service of Google. */
export interface GoogleRequest {
  /** The service, for texts of failures. */
  readonly service: "token" | "storage" | "fcm";
  readonly method: "GET" | "POST" | "DELETE";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Milliseconds. */
  readonly timeout: number;
  /** The most bytes of the answer, by default those of the process. */
  readonly limit?: number;
  /** Data have chosen the address. */
  readonly fromData?: boolean;
}

/** Time to connect, as that of `http`. */
const connectTimeout = 10_000;

/** Asks, and gives an answer of status 2xx; any other fails in the classes of `http`. Throws `Failure`. */
export async function ask(act: Act, request: GoogleRequest): Promise<Answer> {
  const answer = await sent(act, request);
  if (isGood(answer)) return answer;
  throw refusal(request.service, answer);
}

export const isGood = ({ status }: Answer): boolean => status >= 200 && status <= 299;

/** Asks, and gives an answer of any status. There are no redirects. */
export async function sent(act: Act, request: GoogleRequest): Promise<Answer> {
  const { monotonic, limits } = act.run.host;
  const { service, method, url, headers, body = null, timeout, limit = limits.maxResponseBytes, fromData = false } = request;
  act.throwIfCancelled();
  const call = {
    ...{ method, url, query: url.search, headers: new Map(Object.entries(headers)), body, limit },
    ...{ timeout, connectTimeout, idleTimeout: null, streams: false, transport: undefined },
    ...(fromData ? { trust: { address: false, proxy: true } } : {}),
  };
  try {
    const exchanged = (): Promise<Answer> => exchange(act, call, monotonic() + timeout);
    // Tokens are fetched for many actions at once.
    const answer = await (service === "token" ? exchanged() : measured(act, exchanged));
    return { ...answer, bytes: await plainBytes(answer, limit) };
  } catch (error) {
    throw error instanceof Failure ? withService(`google ${service}`, error) : error;
  }
}

/** The JSON object of an answer. */
export function objectOf(service: string, { bytes }: Answer): JsonObject {
  const value = parseJson(bytes.toString("utf8"));
  if (value === undefined || !isObject(value)) throw broken(service, "the answer is not a JSON object");
  return value;
}

/** A member of an answer that must be a text. */
export function textIn(service: string, answer: JsonObject, member: string): string {
  const value = own(answer, member);
  if (typeof value !== "string" || value === "") throw broken(service, `the answer has no ${member}`);
  return value;
}

/** The failure of a service whose answer breaks its own rules. */
export const broken = (service: string, reason: string): Failure =>
  new Failure("transport", `google ${service}: ${reason}`, { upstream: 502 });

/** The failure of a refused request, with the reason that the service gives. */
export function refusal(service: string, { status, headers, bytes }: Answer): Failure {
  const { code, message, details } = bytes.length > mostBytes ? unsaid : saidIn(byContentType(bytes, headers["content-type"]));
  const words = [code, own(meanings, code) ?? message].filter((each) => each !== "").join(": ");
  const wait = own(headers, "retry-after");
  return new Failure("status", `google ${service}: ${status}${words === "" ? "" : ` ${words}`}`, {
    upstream: status,
    data: {
      ...{ status, code, message },
      ...(details === undefined ? {} : { details }),
      ...(wait === undefined ? {} : { headers: { "retry-after": wait } }),
    },
  });
}

/** The error of a service. */
interface Said {
  readonly code: string;
  readonly message: string;
  readonly details?: Json;
}

/** choice: bytes of an error that are read; those of the services are far shorter. */
const mostBytes = 65_536;

const unsaid: Said = { code: "", message: "" };

/** The code and the message of an error, as OAuth 2 (RFC 6749, 5.2) and the other services write it. */
function saidIn(body: Json): Said {
  const error = isObject(body) ? own(body, "error") : undefined;
  if (typeof error === "string") return { code: line(error), message: line(isObject(body) ? own(body, "error_description") : undefined) };
  if (error === undefined || error === null || !isObject(error)) return unsaid;
  const details = own(error, "details");
  const codes = Array.isArray(details) ? details.map((each) => (isObject(each) ? own(each, "errorCode") : undefined)) : [];
  const errors = own(error, "errors");
  const first = Array.isArray(errors) ? errors[0] : undefined;
  const reason = first !== undefined && isObject(first) ? own(first, "reason") : undefined;
  const code = codes.find((each) => typeof each === "string") ?? own(error, "status") ?? reason;
  return { code: line(code), message: line(own(error, "message")), ...(details === undefined ? {} : { details }) };
}

/** choice: characters of a text of a service that a failure repeats. */
const longest = 500;

/** A text of a service as a part of one line. */
const line = (value: Json | undefined): string =>
  typeof value === "string"
    ? value
        .replace(/[\p{Cc}\p{Cf}\s]+/gu, " ")
        .trim()
        .slice(0, longest)
    : "";

/** Documented errors of Firebase Cloud Messaging, in words that say what to do. */
const meanings: Readonly<Record<string, string>> = {
  UNREGISTERED: "the app is gone or its token has ended; delete the token",
  SENDER_ID_MISMATCH: "the token belongs to another project",
  QUOTA_EXCEEDED: "too many messages; retry waits as long as the service asks for",
  THIRD_PARTY_AUTH_ERROR: "the key of the project for Apple or for web push is missing or wrong",
};
