import type { Act } from "../../../run/run.ts";
import { Failure } from "../../../value/failure.ts";
import { isObject, type Json, type JsonObject, own } from "../../../value/json.ts";
import type { Answer } from "../http/answer.ts";
import { elementAt, jsonObject, textAt, xmlRoot } from "./answers.ts";

/** The error that a service answers with. */
export interface ServiceError {
  readonly code: string;
  readonly message: string;
  readonly request_id: string | undefined;
  /** The region in which a bucket really is. */
  readonly region: string | undefined;
}

/** The most bytes of an error that are read. */
const mostBytes = 65_536;

/** Reads the error of an answer in XML or JSON. Without either, only the status of the answer is reported. */
export async function errorOf({ status, headers, bytes }: Answer, service: string, act: Act): Promise<ServiceError> {
  const header = (name: string): string | undefined => {
    const value = own(headers, name);
    return typeof value === "string" && value !== "" ? line(value, 128) : undefined;
  };
  const body = bytes.length > mostBytes ? {} : await bodyOf(bytes, service, act);
  const code = codeOf(header("x-amzn-errortype") ?? body.code ?? "");
  return {
    code: code === "" ? `HTTP${status}` : code,
    message: line(body.message ?? "", 500),
    request_id: header("x-amz-request-id") ?? header("x-amzn-requestid") ?? body.request_id,
    region: header("x-amz-bucket-region") ?? body.region,
  };
}

interface Body {
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  readonly request_id?: string | undefined;
  readonly region?: string | undefined;
}

async function bodyOf(bytes: Buffer, service: string, act: Act): Promise<Body> {
  try {
    return /^\s*\{/.test(bytes.toString("utf8")) ? jsonBody(jsonObject(bytes, service)) : await xmlBody(bytes, service, act);
  } catch (error) {
    // A proxy before the service answers with a page of its own.
    if (error instanceof Failure) return {};
    throw error;
  }
}

function jsonBody(body: JsonObject): Body {
  const text = (...names: readonly string[]): string | undefined =>
    names.map((name) => own(body, name)).find((value) => typeof value === "string") as string | undefined; // found by its type
  const inner = own(body, "Error");
  if (isObject(inner)) return jsonBody(inner);
  return { code: text("__type", "code", "Code"), message: text("message", "Message") };
}

/** S3 answers `<Error>`, the services of queries `<ErrorResponse>` around it. */
async function xmlBody(bytes: Buffer, service: string, act: Act): Promise<Body> {
  const isWrapped = bytes.subarray(0, 512).includes("<ErrorResponse");
  const root = await xmlRoot(bytes, isWrapped ? "ErrorResponse" : "Error", service, act);
  const error: Json = (isWrapped ? elementAt(root, "Error") : root) ?? {};
  const region = textAt(error, "Region");
  return {
    code: textAt(error, "Code"),
    message: textAt(error, "Message"),
    request_id: line(textAt(root, "RequestId") ?? textAt(root, "RequestID") ?? "", 128) || undefined,
    region: region === undefined ? undefined : line(region, 40),
  };
}

/** `com.amazonaws.sqs#QueueDoesNotExist` and `Sender:…` are the name alone. */
const codeOf = (text: string): string => /([A-Za-z][\w.-]{0,99})$/.exec(text.replace(/:.*$/s, "").trim())?.[1] ?? "";

/** One line of what a service says. */
const line = (text: string, most: number): string =>
  text
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .slice(0, most);

/** Refusals of services that are too busy: most answer 400, and are retried as 429 is. */
const throttles =
  /^(?:Throttling|ThrottlingException|ThrottledException|RequestThrottled|RequestThrottledException|TooManyRequestsException|ProvisionedThroughputExceededException|RequestLimitExceeded|BandwidthLimitExceeded|PriorRequestNotComplete|TransactionInProgressException|EC2ThrottledException|KMSThrottlingException|KmsThrottled|KMSThrottled)$/;

/** Codes of errors that a wrong clock may cause. */
const ofClock = /^(?:RequestTimeTooSkewed|RequestExpired|RequestInTheFuture|InvalidSignatureException|SignatureDoesNotMatch|AuthFailure)$/;

/** Codes of errors that are caused by temporary credentials after their end. */
const ofEnd = /^(?:ExpiredToken|ExpiredTokenException|TokenRefreshRequired)$/;

export const mayBeClock = ({ code }: ServiceError): boolean => ofClock.test(code);
export const isExpired = ({ code }: ServiceError): boolean => ofEnd.test(code);

/** The status by which an error is retried (spec/language 3.6). */
function statusFor(status: number, { code }: ServiceError): number {
  if (throttles.test(code)) return 429;
  return code === "RequestTimeout" ? 408 : status;
}

/** Fails with the error of a service; its members are the data, as those of an unexpected answer are for `http`. */
export function serviceFailure(service: string, { status, headers }: Answer, error: ServiceError): Failure {
  const { code, message, request_id, region } = error;
  const wait = own(headers, "retry-after");
  const words = message === "" ? "" : `: ${message}`;
  const place = region !== undefined && ofRegion.test(code) ? `; the bucket is in ${region}` : "";
  const request = request_id === undefined ? "" : ` (request ${request_id})`;
  return new Failure("status", `aws ${service}: ${status} ${code}${words}${place}${request}`, {
    upstream: statusFor(status, error),
    data: {
      ...{ status, code, message },
      ...(request_id === undefined ? {} : { request_id }),
      ...(region === undefined ? {} : { region }),
      ...(wait === undefined ? {} : { headers: { "retry-after": wait } }),
    },
  });
}

/** Codes of errors when the request for a bucket goes to another region than its own. */
const ofRegion =
  /^(?:PermanentRedirect|TemporaryRedirect|AuthorizationHeaderMalformed|IllegalLocationConstraintException|HTTP301|HTTP400)$/;
