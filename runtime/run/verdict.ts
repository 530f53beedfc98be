import type { JsonObject } from "../value/json.ts";
import type { Detail } from "../value/show.ts";
import type { WrittenBody } from "./response.ts";

/** The values that a matcher found in a target that passed: members for the data of the action (spec/language 6.4). */
export interface FoundValues {
  readonly found: JsonObject;
}

/** Mistakes at places inside a target: whole entries of the error list, and the status that the test of such a place asks for. */
export interface Problems {
  readonly errors: readonly string[];
  readonly code: number | undefined;
}

/** The judgement of a matcher on a target: true, the values that it found there, or the detail of the failure (spec/language 6.4). */
export type Verdict = true | FoundValues | Problems | Detail | string;

/** A test that failed: its entries of the error list, and the status it asks for. */
export interface FailedTest {
  readonly errors: readonly string[];
  readonly code: number | undefined;
  /** The whole body of the answer, when the test has one. */
  readonly reply?: WrittenBody;
}

/** The result of a test; null when it passed and found no value. */
export type TestResult = FailedTest | FoundValues | null;

/** The messages and codes of an assert (spec/language 6.1). Messages are templates, evaluated only when needed. */
export interface AssertSpec {
  /** Null when the marker of the message is unset: the error text is then that of an assert without a message. */
  readonly error_message?: () => string | null;
  readonly success_message?: () => string | null;
  readonly http_code_on_error?: number;
  readonly http_code_on_success?: number;
}
