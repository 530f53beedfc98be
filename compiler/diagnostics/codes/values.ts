import { note, warning } from "./code.ts";

/** Bounds on values that are no numbers, or whose type is unknown. */
export const values = {
  boundOfCsvText: warning(
    "PW450",
    (matcher: string, column: string, maker: string) => ({
      message: `'${column}' is text that ${maker} has read, and ${matcher} measures its length`,
      hint: `make numbers of it first: numerics: [${column}]`,
    }),
    {
      means:
        "Matchers such as `is_greater_than` compare a number by its size, and a text by its number of characters. Cells of a CSV, values of XML, and results of patterns and selectors are always text: `500` has the length 3. `numerics` converts such columns to numbers. If you mean the length, nothing is wrong.",
      wrong: "post_transforms:\n  - parse_csv: rows\n  - filter: { target: rows, conditions: { price: { is_greater_than: 100 } } }",
      right:
        'post_transforms:\n  - parse_csv: rows\n  - numerics: ["$.rows[*].price"]\n  - filter: { target: rows, conditions: { price: { is_greater_than: 100 } } }',
    },
  ),
  boundOfCustomValue: warning(
    "PW450",
    (matcher: string) => ({
      message: `custom_value is always text, and ${matcher} measures its length`,
      hint: "write action_value, which keeps the type; a length is said by ->length",
    }),
    {
      means:
        "`custom_value` is always text, so that a number in it is measured by its digits: 120 has the length 3. `action_value` is the value of one marker, with its type.",
      wrong: 'assert: { tests: [{ custom_value: "a|User::body.score|", is_less_than: 5 }] }',
      right: 'assert: { tests: [{ action_value: "a|User::body.score|", is_less_than: 5 }] }',
    },
  ),
  fewMilliseconds: warning(
    "PW452",
    (field: string, value: number) => ({
      message: `'${field}': ${value} means ${value} ms`,
      hint: `write ${value}s, or ${value}ms`,
    }),
    {
      means: "A number without a unit counts milliseconds. Few timeouts and delays are meant to be shorter than a hundred of them.",
      wrong: "http: { url: https://api.example.com, timeout: 30 }",
      right: "http: { url: https://api.example.com, timeout: 30s }",
    },
  ),
  boundOfAnyType: note(
    "PW451",
    (matcher: string, member: string, more: number) => ({
      message: `nothing says whether '${member}' of the body is a number or a text, and ${matcher} takes both: a text by its length${more === 0 ? "" : ` (and ${more} more of this interface)`}`,
      hint: "test the type with is_number or is_string, or declare it in accepts.schema",
    }),
    {
      means:
        'A member of a JSON body has the type that the caller gave it. Matchers such as `is_greater_than` compare a number by its size, a text by its number of characters, and a list by its number of elements: `is_greater_than: 0` passes for `"-5"`, which has two characters. A test of the type beside the bound, or the type in `accepts.schema`, makes clear which is meant. A note never fails a check, and one note stands for all bounds of an interface.',
      wrong: "input: a|body|\nassert:\n  tests:\n    - { value: age, is_greater_than: 17 }",
      right:
        "accepts:\n  schema: { type: object, properties: { age: { type: integer } } }\nactions:\n  - name: Adults\n    input: a|body|\n    assert:\n      tests:\n        - { value: age, is_greater_than: 17 }",
    },
  ),
};
