import type { Step } from "../value/json.ts";
import type { Expr } from "./expr.ts";
import type { NativePattern } from "./native-pattern.ts";
import type { BodyPlan } from "./response.ts";
import type { Span } from "./span.ts";

/** How an ordering matcher reads its target, by the names of value/reading.ts. */
export type ReadingName = "text_number" | "secret_number" | "contract_number" | "contract_integer" | "text_boolean";

/** A fact of what is tested, which compiler/5-analyse writes; the interpreter and the printer only read it. */
interface TestFacts {
  /** The run has to wait for the matcher. */
  readonly waits?: true;
}

/** The path of a marker inside an operand. Null stands for any member of a map that has markers as keys. */
export type MarkerPlace = readonly (Step | null)[];

/**
 * One matcher of a test. `dynamic`: the operand may be unset, or its `prepare` may refuse it; either fails the matcher (spec/language 6.3).
 */
export interface MatcherPlan extends TestFacts, NativePattern {
  readonly use: string;
  readonly operand: Expr;
  readonly dynamic: boolean;
  /** The places of markers inside an operand that is a list or map: an unset marker fails the matcher (spec/language 6.3). */
  readonly markers?: readonly MarkerPlace[];
  /** The operand is one marker of a matcher that has forms: a map that it gives is data, and no form (spec/language 6.4). */
  readonly isValue?: true;
  /** The operand holds a secret: a failure does not show it (spec/language 6.3). */
  readonly secret?: boolean;
  /** The matcher sees the bare credentials, because `is_authorization` stands in the same test (spec/language 6.4). */
  readonly bare?: true;
  /** How an ordering matcher reads its target, when the compiler knows more of the target than its JSON type (value/reading.ts). */
  readonly reads?: ReadingName;
  /** The markers of an operand that is an expression: its text calls them `$0`, `$1`, … */
  readonly values?: readonly Expr[];
  /** Tests of leaves of the target, by their paths (spec/language 6.5). */
  readonly leaves?: Readonly<Record<string, TestPlan>>;
  readonly at?: Span;
}

export interface TestPlan extends TestFacts {
  /** True for a condition of a `filter` with one matcher that needs only the target and its operand: a fact of compiler/5-analyse. */
  readonly plain?: true;
  readonly label: string;
  readonly target: Expr;
  readonly matchers: readonly MatcherPlan[];
  /** `is_not_null: false`: with a null target the other matchers are not run. */
  readonly optional: boolean;
  /** True in the test of an optional parameter: an absent parameter passes, whatever the test looks at. */
  readonly spares?: true;
  /** True in the test of a required parameter: an absent parameter fails, and the matchers are not run. */
  readonly required?: true;
  readonly case_insensitive: boolean;
  /** The key under which a matcher puts what it finds; absent: its own default. */
  readonly result_key?: string;
  readonly hide_errors: boolean;
  readonly error_message?: Expr;
  readonly http_code_on_error?: number;
  /** The body that is sent in place of the envelope when the test fails. */
  readonly http_response?: BodyPlan;
  /** The description of the tested value, for its contract. */
  readonly description?: string;
  readonly at?: Span;
}

export interface AssertPlan extends TestFacts {
  readonly tests: readonly TestPlan[];
  readonly error_message?: Expr;
  readonly success_message?: Expr;
  readonly http_code_on_error?: number;
  readonly http_code_on_success?: number;
}
