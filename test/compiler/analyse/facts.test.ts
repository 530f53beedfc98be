import { expect, test } from "vitest";
import { planned } from "../../harness/compile.ts";

// Phase 5 writes into the plan what follows from it. That both ways of running read it alike is the law `agree`.

const indented = (text: string, by: string): string => text.trimEnd().split("\n").join(`\n${by}`);

/** The plan of one action, and of its interface and configuration. */
function analysed(action: string, rest = "") {
  const text = `name: a\ninterfaces:\n  i:\n    method: POST\n    ${indented(rest, "    ")}\n    actions:\n      - name: A\n        ${indented(action, "        ")}\n`;
  const [plan] = planned(text).plans;
  const [target] = plan?.interfaces ?? [];
  if (plan === undefined || target === undefined) throw new Error("nothing was planned");
  return { uses: plan.uses, target, ops: target.actions[0]?.ops ?? [] };
}

const flags = (ops: readonly object[]): readonly string[] =>
  ops.map((op) => ["op", "waits", "keeps", "before"].flatMap((key) => (key in op ? [key === "op" ? Object(op).op : key] : [])).join(" "));

test("an op waits when its feature or a test in it does, and nested transforms always do", () => {
  const { ops } = analysed(`
input: a|body|
assert: { tests: [{ value: token, is_valid_jwt: { jwks_url: a|env::KEYS| } }] }
post_transforms:
  - rename_keys: { a: b }
  - filter: { target: rows, conditions: { name: { is_equal_to: b } } }
  - nested_transforms: { rows: [{ rename_keys: { a: b } }] }
  - nested_transforms: { rows: [{ parse_csv: text }] }
  - parse_csv: rows`);
  expect(flags(ops)).toEqual(["take", "check waits", "transform", "filter", "nest waits", "nest waits", "transform waits"]);
});

test.each([
  ["a|env::KEY|", "check"],
  ["a secret that is written here of 32 bytes", "check"],
  ["{ secret: a|env::KEY|, iss: a|var::issuer| }", "check"],
  ["{ public_key: a|env::KEY| }", "check"],
  ["{ jwks_url: https://login.example.com/keys }", "check waits"],
  // A variable may be a map with any members.
  ["a|var::key|", "check waits"],
])("a token that is tested by %s: %s", (operand, said) => {
  const { ops } = analysed(`input: a|body|\nassert: { tests: [{ value: token, is_valid_jwt: ${operand} }] }`);
  expect(flags(ops)).toEqual(["take", said]);
});

test("what asks others waits", () => {
  const { ops } = analysed("http: { url: https://example.com }");
  expect(flags(ops)).toEqual(["call waits"]);
});

test("the first transform keeps the data that later ones read", () => {
  const own = "add_attribute: { was: a|A::x| }";
  expect(flags(analysed(`input: a|body|\npost_transforms:\n  - rename_keys: { y: x }\n  - ${own}\n  - remove_keys: [y]`).ops)).toEqual([
    "take",
    "transform keeps",
    "transform before",
    "transform",
  ]);
  // The first transform reads the data of the moment.
  expect(flags(analysed(`input: a|body|\npost_transforms:\n  - ${own}\n  - rename_keys: { y: x }`).ops)).toEqual([
    "take",
    "transform",
    "transform",
  ]);
});

test("a condition is plain when its only matcher needs no more than its operand", () => {
  const plain = (condition: string): boolean | undefined => {
    const [, op] = analysed(`input: a|body|\npost_transforms:\n  - filter: { conditions: { n: ${condition} } }`).ops;
    return op?.op === "filter" ? op.tests[0]?.plain : undefined;
  };
  expect(plain("{ is_equal_to: 1 }")).toBe(true);
  expect(plain("{ is_equal_to: a|env::N| }")).toBe(undefined);
  expect(plain("{ is_equal_to: x, case_insensitive: true }")).toBe(undefined);
  expect(plain("{ is_equal_to: 1, is_not_null: true }")).toBe(undefined);
  // Tests of an assert say why they fail.
  const [, check] = analysed("input: a|body|\nassert: { tests: [{ value: n, is_equal_to: 1 }] }").ops;
  expect(check).toMatchObject({ op: "check", assert: { tests: [expect.not.objectContaining({ plain: true })] } });
});

test.each([
  ["keep_attributes: [name]", []],
  ["keep_attributes: ['$[*].name']", []],
  ["keep_attributes: ['$..name']", ["json_path"]],
  ["keep_attributes: ['$.x-a|body::k|.y']", ["json_path"]],
  // A path that begins with a marker is no query, whatever the marker gives.
  ["keep_attributes: ['a|body::k|.name']", []],
  ["add_attribute: { '$..a': 1 }", ["json_path"]],
  ["add_attribute: { text: 'a|body::k| costs $..5' }", []],
])("a query in a path needs its reader: %s", (transform, parts) => {
  expect(analysed(`input: a|body|\npost_transforms:\n  - ${transform}`).uses.parts).toEqual(parts);
});

test.each([
  ["what is said of an interface", "input: a|body|", "summary: $..name of jwks_url", []],
  ["the names of a schema", "input: a|body|", "accepts: { schema: { type: object, properties: { jwks_url: { const: $..x } } } }", []],
  ["a label", "input: a|body|\nassert: { tests: [{ name: $..x, value: x, is_equal_to: 1 }] }", "", []],
  ["a token", "input: a|body|\nassert: { tests: [{ value: t, is_valid_jwt: { secret: x } }] }", "", []],
  ["an issuer", "input: a|body|\nassert: { tests: [{ value: t, is_valid_jwt: { jwks_url: https://a.example } }] }", "", ["key_sets"]],
  ["a socket", "input: a|body|", "ws: a\npublic: true", ["key_sets", "upgrades"]],
  ["a broker", "input: a|body|", "mqtt: a\npublic: true", ["upgrades"]],
] as const)("parts of the runtime: %s", (_, action, rest, parts) => {
  expect(analysed(action, rest).uses.parts).toEqual(parts);
});

test("a configuration uses what its interfaces use, in loops and leaves, too", () => {
  const { uses, target } = analysed(`
lookup: a|body::ids|
actions:
  - name: Inner
    conditional_input: [{ input: a|body|, tests: [{ value: x, ilike: a }] }]
    assert: { tests: [{ value: x, verify_schema: { structure: { id: { type: String, validate: { like: "a%" } } } } }] }
    post_transforms: [{ nested_transforms: { rows: [{ parse_csv: text }] } }]
  - { name: Count, state: { set: { key: n, value: 1 } } }`);
  expect(uses).toMatchObject({
    features: { transforms: ["parse_csv"], actions: ["state"] },
    store: true,
    channels: false,
    tools: false,
    detaches: false,
    schedules: false,
    triggers: [],
    protocols: [],
    drivers: [],
  });
  expect(uses.features.matchers).toEqual(["ilike", "like", "verify_schema"]);
  expect(target.uses).toMatchObject({ databases: [], records: [], secrets: [], jq: false, streams: false, body: true });
});
