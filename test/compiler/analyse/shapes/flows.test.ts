import { expect, test } from "vitest";
import { planned } from "../../../harness/compile.ts";
import { shown } from "./shown.ts";

// The shapes of the data of each action, from YAML.

function shapes(actions: string, head = ""): Readonly<Record<string, string>> {
  const { plans } = planned(
    `name: t\ninterfaces:\n  i:\n    method: POST\n    route: /i/:id\n${head}    actions:\n${actions.replace(/^/gm, "      ")}`,
  );
  const found = plans[0]?.interfaces[0]?.shapes;
  if (found === undefined) throw new Error("no plan");
  const loops = [...found.actions].flatMap(([name, { loop }]) =>
    [...(loop?.actions ?? [])].map(([inner, { data }]) => [`${name}/${inner}`, shown(data)] as const),
  );
  return Object.fromEntries([...[...found.actions].map(([name, { data }]) => [name, shown(data)] as const), ...loops]);
}

test("literals, texts and markers", () => {
  expect(shapes('- name: A\n  json_output: { n: 1, t: x, text: "a|body::x| y", l: [1, 2], at: a|timestamp|, id: a|uuid| }')).toEqual({
    A: '{n: 1, t: "x", text: string, l: [1 | 2], at: number, id: string}',
  });
});

test("a list has the elements of all its markers", () => {
  expect(shapes("- name: A\n  json_output: [1, a|uuid|, a|raw_body|]").A).toBe("[1 | string | null]");
});

test("a text in the value position of a JSON template may read as another scalar", () => {
  const template = `'{ "id": a|uuid|, "text": "a|uuid|" }'`;
  expect(shapes(`- name: A\n  json_output: ${template}`).A).toBe("{id: string | null | boolean | number, text: string}");
});

test("an action that may fail or be skipped gives null to those who do not ask for its success", () => {
  const first = "- name: A\n  json_output: { n: 1 }\n";
  expect(shapes(`${first}- name: B\n  input: a|A::n|`).B).toBe("null | 1");
  expect(shapes(`${first}- name: B\n  run_when_succeeded: [A]\n  input: a|A::n|`).B).toBe("1");
});

test("the data that failed a test are kept", () => {
  const failing =
    "- name: A\n  json_output: { n: 1, m: 2 }\n  assert: { tests: [{ value: n, is_number: true }] }\n  post_transforms: [{ keep_attributes: [m] }]\n";
  expect(shapes(`${failing}- name: B\n  input: a|A|`).B).toBe("{m: 2, n?: 1} | null");
});

test("tests that have passed say what the data are", () => {
  const tested = (tests: string): string => String(shapes(`- name: A\n  input: a|body|\n  assert: { tests: [${tests}] }`).A);
  expect(tested("{ value: email, is_string: true }")).toBe("{email: string, ...any}");
  expect(tested("{ value: n, is_number: true }, { value: u.id, is_not_null: true }")).toMatch(
    /^\{n: number, u: \{id: .*\.\.\.any\}, \.\.\.any\}$/,
  );
  expect(tested("{ value: email, is_not_null: false, is_string: true }")).toBe("any");
  expect(tested("{ is_array: true }")).toBe("[any]");
  expect(tested("{ is_object: true }, { value: kind, is_equal_to: a }")).toBe('{kind: "a", ...any}');
  expect(tested("{ verify_schema: { structure: { id: { type: Number }, tags: { type: Array } } } }")).toBe(
    "{id: number, tags: [any], ...any}",
  );
});

test("a loop gives its actions the items, and a list of results", () => {
  const list = "- name: L\n  json_output: [{ id: 1 }, { id: 2 }]\n- name: Each\n  run_when_succeeded: [L]\n  lookup: a|L|\n";
  const inner = "  actions:\n    - name: In\n      json_output: { id: a|body::id|, by: a|body::by| }";
  expect(shapes(list + inner)["Each/In"]).toBe("{id: 1 | 2, by: null}");
  expect(shapes(`${list}  lookup_inherit: { by: me }\n${inner}`)["Each/In"]).toBe('{id: 1 | 2, by: "me"}');
  expect(shapes(list + inner).Each).toMatch(/^\[\{data: \{In\?: \{data: \{id: 1 \| 2, by: null\} \| null, message\?: string/);
  expect(shapes(`${list}  lookup_partition: true\n${inner}`).Each).toMatch(/^\{succeeded: \[.*\], failed: \[\{item: \{id: 1 \| 2\}, /);
});

test("a schema that is enforced is the shape of the body", () => {
  const head =
    "    accepts: { enforce: true, schema: { type: object, required: [a], additionalProperties: false, properties: { a: { type: string }, b: { type: integer } } } }\n";
  expect(shapes("- name: A\n  input: a|body|", head).A).toBe("{a: string, b?: number}");
});

test("nested transforms change what their paths match", () => {
  const first = "- name: A\n  json_output: { user: { id: 1, name: n }, rows: [{ a: 1, b: 2 }] }\n  post_transforms: [{ nested_transforms: ";
  expect(shapes(`${first}{ user: [{ keep_attributes: [id] }] } }]`).A).toBe("{user: {id: 1}, rows: [{a: 1, b: 2}]}");
  expect(shapes(`${first}{ rows: [{ rename_keys: { a: c } }] } }]`).A).toBe('{user: {id: 1, name: "n"}, rows: [{b: 2, c: 1}]}');
  expect(shapes(`${first}{ "$.rows": [{ return_row: 0 }] } }]`).A).toBe('{user: {id: 1, name: "n"}, rows: {a: 1, b: 2}}');
  expect(shapes(`${first}{ none: [{ keep_attributes: [id] }] } }]`).A).toBe('{user: {id: 1, name: "n"}, rows: [{a: 1, b: 2}]}');
  expect(shapes(`${first}{ "a|body::path|": [{ keep_attributes: [id] }] } }]`).A).toBe("any");
});

test("tests of the body hold for actions that run only when they have passed", () => {
  const tested = "- name: A\n  input: a|body|\n  assert: { tests: [{ value: email, is_string: true }] }\n";
  expect(shapes(`${tested}- name: B\n  run_when_succeeded: [A]\n  input: a|body::email|`).B).toBe("string");
  expect(shapes(`${tested}- name: B\n  input: a|body::email|`).B).toBe("any");
  expect(
    shapes(`${tested}- name: C\n  run_when_succeeded: [A]\n  json_output: 1\n- name: B\n  run_when_succeeded: [C]\n  input: a|body::email|`)
      .B,
  ).toBe("string");
  const quorum = "run_when_succeeded: { actions: [A, C], at_least: 1 }";
  expect(shapes(`${tested}- { name: C, json_output: 1 }\n- name: B\n  ${quorum}\n  input: a|body::email|`).B).toBe("any");
  const gate = "run_on_assertion: { tests: [{ action_value: a|body::n|, is_number: true }] }";
  expect(shapes(`- name: B\n  ${gate}\n  input: a|body::n|`).B).toBe("number");
  // Behind a transform the data are no longer the body.
  const changed =
    "- name: A\n  input: a|body|\n  post_transforms: [{ extract_value: user }]\n  assert: { tests: [{ value: email, is_string: true }] }\n";
  expect(shapes(`${changed}- name: B\n  run_when_succeeded: [A]\n  input: a|body::email|`).B).toBe("string");
});

test("tests of the data of another action hold for actions that run only when they have passed", () => {
  const first = "- name: A\n  input: a|body|\n- name: T\n  run_when_succeeded: [A]\n  ";
  const reader = "- name: B\n  run_when_succeeded: [T]\n  input: a|A::n|";
  const passed = (tested: string, read = reader): string | undefined => shapes(`${first}${tested}\n${read}`).B;
  const marked = "json_output: 1\n  assert: { tests: [{ action_value: a|A::n|, is_number: true }] }";
  expect(passed(marked)).toBe("number");
  expect(passed("input: a|A|\n  assert: { tests: [{ value: n, is_string: true }] }")).toBe("string");
  expect(passed("input: a|A::n|\n  assert: { tests: [{ is_boolean: true }] }")).toBe("boolean");
  expect(passed("json_output: 1\n  run_on_assertion: { tests: [{ action_value: a|A::n|, is_number: true }] }")).toBe("number");
  expect(passed(`${marked}\n- { name: C, run_when_succeeded: [T], json_output: 1 }`, reader.replace("[T]", "[C]"))).toBe("number");
  // In a loop, too.
  const loop = "- name: E\n  run_when_succeeded: [T]\n  lookup: a|A::l|\n  actions: [{ name: B, input: a|A::n| }]";
  expect(shapes(`${first}${marked}\n${loop}`)["E/B"]).toBe("number");
  // Shapes are open where the test may have failed, and for data that the test does not look at.
  expect(passed(marked, reader.replace("run_when_succeeded: [T]", "depends_on: { actions: [T] }"))).toBe("any");
  expect(passed("input: a|A::m|\n  assert: { tests: [{ value: n, is_string: true }] }")).toBe("any");
  expect(passed("input: a|body|\n  assert: { tests: [{ value: n, is_string: true }] }")).toBe("any");
  // Tests that contradict each other say nothing.
  expect(
    passed("json_output: 1\n  assert: { tests: [{ action_value: a|A::n|, is_number: true }, { action_value: a|A::n|, is_string: true }] }"),
  ).toBe("number");
});

const reply = (response: string, actions: string): string => {
  const { plans } = planned(
    `name: t\ninterfaces:\n  i:\n    method: POST\n    response: { ${response} }\n    actions:\n${actions.replace(/^/gm, "      ")}`,
  );
  const [target] = plans[0]?.interfaces ?? [];
  return target === undefined ? "" : shown(target.shapes.reply);
};

test("an answer is one of all bodies that the interface may give", () => {
  const action = "- name: A\n  json_output: { id: 1 }";
  expect(reply("custom_body: a|A::id|", action)).toBe("null | 1");
  expect(reply(`custom_body: a|A::id|, error_body: '{"failed": true}'`, action)).toBe("null | 1 | {failed: true}");
  expect(reply("custom_body: done", `${action}\n  response_on_success: { body: '{"own": a|A::id|}' }`)).toBe("string | {own: 1}");
  expect(reply("custom_body: done", `${action}\n  response_on_error: { http_code: 404, body: '{"none": true}' }`)).toBe(
    "string | {none: true}",
  );
});

test("a JSON template is the value that it makes", () => {
  const action = "- name: A\n  json_output: { id: 1 }";
  expect(reply(`custom_body: '{"id": a|A::id|, "text": "<a|A::id|>", "list": [1, a|uuid|], "whole": a|A|}'`, action)).toBe(
    "{id: null | 1, text: string, list: [number | string | null | boolean], whole: {id: 1} | null}",
  );
  expect(reply(`custom_body: '{"a": 1, "a|uuid|": "x"}'`, action)).toMatch(/^\{a: .*\.\.\."x"\}$/);
});
