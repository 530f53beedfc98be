import { expect, test } from "vitest";
import { planned, printOne } from "../../harness/compile.ts";
import { smallLink } from "../../harness/small-link.ts";

// A link carries the engine of a feature only when the arguments need it.

const engine = "runtime/languages/regex.ts";
const jq = "runtime/languages/jq.ts";

const config = (assert: string, transform: string): string => `name: n
interfaces:
  run:
    output: http
    actions:
      - name: A
        input: a|params::text|
        assert: { tests: [{ value: a|params::text|, ${assert} }] }
        post_transforms:
          - ${transform}
`;

test.each<[string, string, string, readonly string[]]>([
  ["a pattern that JavaScript cannot run", "regex: '(a+)+$'", "hmac: { key: k, data: d, secret: a|env::K| }", [engine]],
  ["patterns that it can", "regex: '^a+$'", "replace_values: { target_value: '', regex: 'b', new_str: c }", []],
  ["one of each", "regex: '^a+$'", "replace_values: { target_value: '', regex: '(a+)+$', new_str: c }", [engine]],
  ["no pattern", "is_not_null: true", "replace_values: { target_value: '', find_str: b }", []],
  ["a pattern with a marker", "is_not_null: true", "replace_values: { target_value: '', regex: a|params::p| }", [engine]],
  ["a hash of a value", "is_not_null: true", "bcrypt: { value: '' }", []],
  ["a hash of what a filter gives", "is_not_null: true", "bcrypt: { jq: ., key: k }", [jq]],
])("%s", async (_, assert, transform, carried) => {
  const { files } = await smallLink(await printOne(planned(config(assert, transform))));
  expect(files.filter((file) => file === engine || file === jq)).toEqual(carried);
});
