import { mostFields } from "../formats/form.ts";

/** An answer that no run has given (spec/surfaces 0). It never shows a stack, a path or a part of the config. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  /** The mistake of the caller, where the code does not name it. */
  readonly message?: string;
  /** True when the request has not been read to its end, or cannot be: the connection cannot be used any more. */
  readonly closes?: true;
  /** Seconds after which the caller may try again. */
  readonly retryAfter?: number;
  /** Further headers: names and values in turn. */
  readonly headers?: readonly string[];
}

/** The status in logs of a run whose caller has disconnected. */
export const clientGone = 499;

export const refusals = {
  badRequest: { status: 400, code: "bad_request", closes: true },
  invalidEncoding: { status: 400, code: "invalid_encoding" },
  invalidFormData: { status: 400, code: "invalid_form_data" },
  invalidJson: { status: 400, code: "invalid_json" },
  invalidParam: { status: 400, code: "invalid_param" },
  tooManyFields: { status: 400, code: "too_many_fields", message: `more than ${mostFields} fields` },
  unauthorized: { status: 401, code: "unauthorized", headers: ["www-authenticate", "Bearer"] },
  forbidden: { status: 403, code: "forbidden" },
  notFound: { status: 404, code: "not_found" },
  methodNotAllowed: { status: 405, code: "method_not_allowed" },
  requestTimeout: { status: 408, code: "request_timeout", closes: true },
  payloadTooLarge: { status: 413, code: "payload_too_large", closes: true },
  uriTooLong: { status: 414, code: "uri_too_long", closes: true },
  unsupportedMediaType: { status: 415, code: "unsupported_media_type" },
  upgradeRequired: { status: 426, code: "upgrade_required", headers: ["upgrade", "websocket", "connection", "upgrade, close"] },
  upgradeVersion: {
    status: 426,
    code: "upgrade_required",
    headers: ["upgrade", "websocket", "connection", "upgrade, close", "sec-websocket-version", "13"],
  },
  expectationFailed: { status: 417, code: "expectation_failed", closes: true },
  tooManyDetached: { status: 429, code: "too_many_detached_runs", retryAfter: 1 },
  headersTooLarge: { status: 431, code: "headers_too_large", closes: true },
  internalError: { status: 500, code: "internal_error" },
  notImplemented: { status: 501, code: "not_implemented", closes: true },
  shuttingDown: { status: 503, code: "shutting_down", closes: true },
  tooManyBodies: { status: 503, code: "too_many_bodies", closes: true, retryAfter: 1 },
  tooManyConnections: { status: 503, code: "too_many_connections", retryAfter: 1 },
  runStoreUnavailable: { status: 503, code: "run_store_unavailable", retryAfter: 1 },
  timeout: { status: 504, code: "timeout" },
  loopDetected: { status: 508, code: "loop_detected" },
} as const satisfies Readonly<Record<string, Refusal>>;
