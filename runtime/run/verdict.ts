import type { JsonObject } from "../value/json.ts";
import type { Detail } from "../value/show.ts";
import type { WrittenBody } from "./response.ts";

/** The values that a matcher found in a target that passed: members for the data of the action (spec/language 6.4). */
export interface FoundValues {
  readonly found: JsonObject;
}

/** Mistakes at places inside a target: whole entries of the error list, and the status that the test of a place asks for. */
export interface Problems {
  readonly errors: readonly string[];
  readonly code: number | undefined;
}

/** The judgement of a matcher on a target: true or what it found there, else the detail of the failure (spec/language 6.4). */
export type Verdict = true | FoundValues | Problems | Detail | string;

/** A test that failed: its entries of the error list, and the status it asks for. */
export interface FailedTest {
  readonly errors: readonly string[];
  readonly code: number | undefined;
  /** The whole body of the answer, when the test has one. */
  readonly reply?: WrittenBody;
}

/** Null when the test passed and found nothing. */
export type TestResult = FailedTest | FoundValues | null;

/** The reports of an assert when tests fail or all pass (spec/language 6.1). Messages are templates, evaluated only when needed. */
export interface AssertSpec {
  /** Null where the message is a marker that is unset: the text is then that of an assert without a message. */
  readonly error_message?: () => string | null;
  readonly success_message?: () => string | null;
  readonly http_code_on_error?: number;
  readonly http_code_on_success?: number;
}
