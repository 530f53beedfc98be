import { expect, test } from "vitest";
import { planTexts } from "../../../compiler/pipeline.ts";

// Unknown keys are answered by the best guess, and values in another form by the form that is meant.

const action = (more: string): string => `name: t\ninterfaces:\n  i:\n    method: GET\n    actions:\n      - { name: A, ${more} }\n`;
const target = (more: string): string =>
  `name: t\ninterfaces:\n  i:\n    method: GET\n    ${more}\n    actions: [{ name: A, json_output: {} }]\n`;

test.each([
  [
    action("http: { url: 'https://x.example', retry: { attempts: 2 } }"),
    "PW110 unknown key 'retry' in Http",
    "it belongs one level up, beside 'http'",
  ],
  [action("http: { url: 'https://x.example' }, expect_status: 200"), "PW110 unknown key 'expect_status' in Action", "it belongs in 'http'"],
  [
    action("conditional_input: [{ is_equal_to: 1, input: a|body| }]"),
    "PW110 unknown key 'is_equal_to' in ConditionalInput",
    "it belongs in 'tests'",
  ],
  [action("json: {}"), "PW110 unknown key 'json' in Action", "write 'json_output'"],
  [action("json_output: {}, forEach: a|body|"), "PW110 unknown key 'forEach' in Action", "write 'lookup' and 'actions'"],
  [action("run_if: a|params::x|"), "PW110 unknown key 'run_if' in Action", "write 'run_on_assertion'"],
  [action("state: { op: get }"), "PW110 unknown key 'op' in State", "the operation is the key: state: { get: { key: … } }"],
  [
    action("state: { seen: { key: k, id: 1 }, key: k }"),
    "PW110 unknown key 'key' in State",
    "write it in the operation: state: { get: { key: … } }",
  ],
  [
    action("database: { driver: sqlite }, query: SELECT 1"),
    "PW114 'database': expected string, got object",
    "databases stand in 'global.databases'; write the name of one",
  ],
  [action("json_output: {}, on_eror: x"), "PW110 unknown key 'on_eror' in Action", undefined],
  [target("on_error: { interface: i }"), "PW110 unknown key 'on_error' in Interface", "it belongs one level up, beside 'interfaces'"],
  [target("cron: '* * * * *'"), "PW110 unknown key 'cron' in Interface", "write 'schedule: { cron: …, enabled: true }'"],
  [
    target("http: { method: GET, route: /x }"),
    "PW110 unknown key 'http' in Interface",
    "write 'route' and 'method'; a call of another service stands in 'actions'",
  ],
  [target("websocket: reply"), "PW110 unknown key 'websocket' in Interface", "write 'ws'"],
  [target("response: { status_code: 201 }"), "PW110 unknown key 'status_code' in InterfaceResponse", expect.stringContaining("http_code")],
  [action("json_output: {}, post_transforms: [{ jq: . }]"), "PW431 unknown transform 'jq'", "write 'extract_with_jq'"],
  [
    action("json_output: {}, assert: { tests: [{ value: a, gte: 1 }] }"),
    "PW424 unknown matcher 'gte'",
    "write 'is_greater_than_or_equal_to'",
  ],
  [
    action("json_output: {}, assert: { tests: [{ value: a, is_equal: 1 }] }"),
    "PW424 unknown matcher 'is_equal' (did you mean 'is_equal_to'?)",
    undefined,
  ],
  [
    action("json_output: {}, assert: { tests: [{ value: a, greater_than: 1 }] }"),
    "PW424 unknown matcher 'greater_than' (did you mean 'is_greater_than'?)",
    undefined,
  ],
])("one mistake, one diagnostic: %s", (text, message, hint) => {
  const { diagnostics } = planTexts([{ file: "t.yaml", text }]);
  expect(diagnostics.map((each) => [`${each.code} ${each.message}`, each.hint])).toEqual([[message, hint]]);
});

test.each([
  [action("ws_publish: { chanels: a }"), "PW110 unknown key 'chanels' in WsPublish (did you mean 'channels'?)"],
  [action("discover: { dns: {} }"), "PW113 missing required key 'name' in DiscoverDns"],
])("what a misspelt or missing key leads to is no second diagnostic: %s", (text, message) => {
  const { diagnostics } = planTexts([{ file: "t.yaml", text }]);
  expect(diagnostics.map((each) => `${each.code} ${each.message}`)).toEqual([message]);
});

const json = (map: string): string => target(`response: { custom_body: ${map} }`);
const asText = ["PW114", "write it as a text of JSON"] as const;

test.each([
  [action("json_output: {}, run_when_succeeded: A2"), "PW114", "write [A2]", "[A2]"],
  [
    action("http: 'https://x.example/?a=1&b=2'"),
    "PW114",
    'write { url: "https://x.example/?a=1&b=2" }',
    '{ url: "https://x.example/?a=1&b=2" }',
  ],
  [action("http: https://x.example/a"), "PW114", "write { url: https://x.example/a }", "{ url: https://x.example/a }"],
  [action('input: "{{ body.name }}"'), "PW312", "a marker is written a|body::name|", '"a|body::name|"'],
  [action('input: "${params.id}"'), "PW312", "a marker is written a|params::id|", '"a|params::id|"'],
  [action("json_output: { n: a|params.id| }"), "PW301", undefined, "a|params::id|"],
  [action("json_output: { n: 'a|Params.a.b->upper|' }"), "PW301", undefined, "a|params::a.b->upper|"],
  [action("json_output: { n: 'a|body[0].x|' }"), "PW301", undefined, "a|body::[0].x|"],
  [json(String.raw`{ n: a|body::jq::.o \| keys| }`), ...asText, String.raw`'{"n": a|body::jq::.o \| keys|}'`],
  [json(`{ n: 'a|body::jq::map(.a | (.b | .c))|' }`), ...asText, `'{"n": a|body::jq::map(.a | (.b | .c))|}'`],
  [json(`{ n: 'Mr. a|body::n->default("x")|' }`), ...asText, `'{"n": "Mr. a|body::n->default("x")|"}'`],
  [json(String.raw`{ n: "\na|body::n|, \"a|body::n|\"" }`), ...asText, String.raw`'{"n": "\na|body::n|, \"a|body::n|\""}'`],
  [json(String.raw`{ 'k a|body::jq::.a \| .b|': 'C:\a|x| b\c' }`), ...asText, String.raw`'{"k a|body::jq::.a \| .b|": "C:\a|x| b\\c"}'`],
])("says how it is written: %s", (text, code, hint, fix) => {
  const { diagnostics } = planTexts([{ file: "t.yaml", text }]);
  expect(diagnostics.map((each) => [each.code, each.hint, each.fix?.text])).toEqual([[code, hint, fix]]);
  const [{ fix: edit } = {}] = diagnostics;
  const mended = edit === undefined ? "" : text.slice(0, edit.at.start) + edit.text + text.slice(edit.at.end);
  expect(planTexts([{ file: "t.yaml", text: mended }]).diagnostics.filter((each) => each.code === code)).toEqual([]);
});
