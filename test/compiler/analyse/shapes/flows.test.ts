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
