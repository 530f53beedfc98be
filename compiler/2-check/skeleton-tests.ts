import type { JsonSchema } from "#runtime/features/feature.ts";
import {
  anything,
  type Definitions,
  filter,
  fixedFlag,
  fixedText,
  later,
  list,
  nameOf,
  type Properties,
  record,
  ref,
  statusCode,
  text,
} from "./shapes.ts";

/** The records of the features of one kind, which add to the schema: name to schema, with the summary as description. */
export type Features = Readonly<Record<string, { readonly summary: string; readonly schema: JsonSchema }>>;

/** Matchers of the language that no feature implements yet, with what each of them tests (spec/language 6.4, 6.7). */
const laterMatchers: Readonly<Record<string, string>> = {
  is_not_null: "The value is not null; false marks it as optional.",
  is_null: "The value is null.",
  is_not_empty: "The value is not empty.",
  is_equal_to: "The value equals the operand.",
  is_not_equal_to: "The value differs from the operand.",
  is_less_than: "The value is below the operand.",
  is_less_than_or_equal_to: "The value is at most the operand.",
  is_greater_than: "The value is above the operand.",
  is_greater_than_or_equal_to: "The value is at least the operand.",
  is_between: "The value is within the bounds.",
  starts_with: "The text starts with the operand.",
  not_starts_with: "The text does not start with the operand.",
  ends_with: "The text ends with the operand.",
  not_ends_with: "The text does not end with the operand.",
  contains_text: "The text has a letter.",
  contains_number: "The text has a digit.",
  contains_upper: "The text has a capital letter.",
  contains_lower: "The text has a small letter.",
  contains_special: "The text has a special character.",
  contains: "The value contains the operand.",
  not_contains: "The value does not contain the operand.",
  like: "The text fits a pattern with %.",
  ilike: "The text fits a pattern with %, capitals aside.",
  regex: "The text fits a regular expression.",
  is_uuid: "The text is a UUID.",
  is_array: "The value is a list.",
  semver_matches: "The version satisfies the range.",
  size_limit: "The value is not larger than the operand.",
  expression: "The expression is true.",
  compare_value: "The value equals another structure.",
  verify_schema: "The value has the given structure.",
  verify_bcrypt: "The text belongs to the bcrypt hash.",
  verify_signature: "The signature of the text is valid.",
  is_valid_hmac: "The digest is that of the message.",
  is_valid_totp: "The code is valid now.",
  is_valid_jwt: "The token is valid.",
  is_authorization: "The header holds credentials.",
};

/** Options of a test that are no matchers (spec/language 6.2, 6.4). */
const testOptions: Properties = {
  name: text("Name of the test in error texts."),
  description: text("What is tested, for people."),
  value: text("Path of the value in the data, count(), or one marker that is the value."),
  pointer: text("JSON Pointer of the value in the data."),
  action: nameOf("action", "Action whose data is tested."),
  action_value: text("A marker that is the value."),
  custom_value: text("Text that is tested."),
  error_message: text("Message when the test fails."),
  success_message: text("No effect."),
  http_code_on_error: statusCode("Status when the test fails."),
  hide_errors: fixedFlag("Leave the failure of this test out of the errors."),
  case_insensitive: fixedFlag("Compare without regard to capitals."),
  result_key: fixedText("Key of the data under which a matcher puts what it finds, such as the claims of a token."),
  jq: filter("jq filter that gives the value."),
  http_response: anything("Body of the answer when the test fails, in place of the envelope: a JSON template, text, or a structure."),
};

/** Asserts and tests, with the matchers of the given features. */
export function testRecords(matchers: Features): Definitions {
  const planned = Object.fromEntries(Object.entries(laterMatchers).map(([name, description]) => [name, anything(description)]));
  return {
    Assert: record("Assert", "Tests, and what they say when they fail or pass.", {
      tests: list("Tests, all of them evaluated.", ref("Test", "A test.")),
      error_message: text("Message when a test fails, in place of those of the tests."),
      success_message: text("Message when all tests pass."),
      http_code_on_error: statusCode("Status when a test fails and has none of its own."),
      http_code_on_success: statusCode("Status when all tests pass."),
    }),
    Test: {
      ...record("Test", "One value and what must hold for it.", { ...testOptions, ...later(planned), ...described(matchers) }),
      whole: true,
    },
  };
}

/** Schemas of features with their summaries as descriptions. */
export function described(features: Features): Properties {
  return Object.fromEntries(Object.entries(features).map(([name, { summary, schema }]) => [name, { ...schema, description: summary }]));
}
