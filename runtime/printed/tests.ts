// Tests, and validation of parameters.

export {
  /** The token of a Bearer header, or user and password of a Basic one. */
  credentials,
} from "../keys/authorization.ts";
export {
  /** Gives a matcher the result of a test that had to wait. */
  already,
  /** `test` with a matcher that waits. */
  asyncTest,
  /** `assert` of an action: passes the data on when every test passes, else the action fails. */
  check,
  /** The verdict on a required parameter that is missing. */
  missingParameter,
  /** One test: its label, its target and the verdicts of its matchers. */
  test,
  /** Runs a matcher whose operand comes from a marker: the test fails when the operand is unset or unusable. */
  withOperand,
  /** Runs a matcher whose operand is a secret: its message shows `***`. */
  withSecretOperand,
} from "../run/steps/check.ts";
export {
  /** `params` with a value or a test that waits. */
  asyncParams,
  /** Evaluates and tests the parameters before any action runs; false when the request is refused. */
  params,
} from "../run/steps/params.ts";
export {
  /** Reads a member that the contract of the interface calls an integer. */
  contract_integer,
  /** Reads a member that the contract of the interface calls a number. */
  contract_number,
  /** Reads a secret as a number. */
  secret_number,
  /** Reads `true` and `false` of a transport that knows only text. */
  text_boolean,
  /** Reads a number of a transport that knows only text. */
  text_number,
} from "../value/reading.ts";
