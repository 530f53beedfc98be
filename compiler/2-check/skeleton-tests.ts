import type { JsonSchema } from "#runtime/features/feature.ts";
import {
  anything,
  type Definitions,
  filter,
  fixedFlag,
  fixedText,
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
  case_insensitive: fixedFlag("Ignore the case of letters."),
  result_key: fixedText("Key of the data under which a matcher puts what it finds, such as the claims of a token."),
  jq: filter("jq filter that gives the value."),
  http_response: anything("Body of the answer when the test fails, in place of the envelope: a JSON template, text, or a structure."),
};

/** Asserts and tests, with the matchers of the given features. */
export function testRecords(matchers: Features): Definitions {
  return {
    Assert: record("Assert", "Tests, and what they say when they fail or pass.", {
      tests: list("Tests, all of them evaluated.", ref("Test", "A test.")),
      error_message: text("Message when a test fails, in place of those of the tests."),
      success_message: text("Message when all tests pass."),
      http_code_on_error: statusCode("Status when a test fails and has none of its own."),
      http_code_on_success: statusCode("Status when all tests pass."),
    }),
    Test: {
      ...record("Test", "One value and what must hold for it.", { ...testOptions, ...described(matchers) }),
      whole: true,
    },
  };
}

/** Schemas of features with their summaries as descriptions. */
export function described(features: Features): Properties {
  return Object.fromEntries(Object.entries(features).map(([name, { summary, schema }]) => [name, { ...schema, description: summary }]));
}
