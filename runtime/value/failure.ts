import type { WrittenBody } from "../run/response.ts";
import type { Json } from "./json.ts";

/** Classes of run-time errors: the prefix of their log lines (spec/language 8). */
export const failureCodes = {
  evaluation: "PW900",
  transport: "PW901",
  status: "PW902",
  timeout: "PW903",
  assert: "PW904",
  transform: "PW905",
  database: "PW906",
  command: "PW907",
  state: "PW908",
  response: "PW909",
  manifest: "PW910",
} as const;

export type FailureKind = keyof typeof failureCodes;

/** The details that a failed action may leave besides its message. */
export interface FailureDetails {
  /** Payload the action keeps (spec/language 3.2: a missed status or a failed assert keeps its data). */
  readonly data?: Json;
  /** All failed tests, in order. */
  readonly errors?: readonly string[];
  /** Status code a failed test or assert asks for. */
  readonly status?: number;
  /** The body that a failed test gives in place of the envelope. */
  readonly reply?: WrittenBody;
  /** Status of the upstream, for `http_code_inherit_error`. */
  readonly upstream?: number;
  /** True when the request was never sent, so that it is safe to send it again. */
  readonly unsent?: true;
  /** True when another attempt would fail again, or would repeat an effect: `retry` then makes none. */
  readonly final?: true;
  readonly cause?: unknown;
}

/** Ends one action, never the process. The message is what the envelope may show; secrets never enter it. */
export class Failure extends Error {
  readonly kind: FailureKind;
  readonly details: FailureDetails;
  constructor(kind: FailureKind, message: string, details: FailureDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = "Failure";
    this.kind = kind;
    this.details = details;
  }
}

/**
 * Thrown by a feature's `prepare`: a bad static argument becomes this diagnostic at the argument's span, a dynamic one fails the action.
 */
export class Reject extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.name = "Reject";
    this.code = code;
  }
}

/** The failure of an action whose `timeout` has ended it, after `ms` milliseconds. */
export const timedOut = (ms: number): Failure => new Failure("timeout", `timed out after ${ms}ms`);
