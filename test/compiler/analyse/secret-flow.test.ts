import { expect, test } from "vitest";
import { planTexts } from "../../../compiler/pipeline.ts";

/** Warnings about secrets of an interface with these actions and this response, without the words that all have. */
function warnings(actions: string, rest = "response: { headers: {} }", variables: readonly string[] = []): readonly string[] {
  const text = `name: flow\ninterfaces:\n  one:\n    method: POST\n    ${rest}\n    actions: [${actions}]\n`;
  const files = variables.map((each) => ({ file: "vars/base.yaml", text: each }));
  const { diagnostics } = planTexts([{ file: "flow.yaml", text }], undefined, [], files);
  const wrong = diagnostics.filter(({ severity }) => severity === "error");
  expect(wrong).toEqual([]);
  return diagnostics
    .filter(({ code }) => code === "PW283" || code === "PW284")
    .map(({ message }) => message.replace(/^the secret \w+ reaches /, ""));
}

const source = `{ name: A, hide_action: true, json_output: { id: 1, token: a|secret::KEY|, inner: { key: a|secret::INNER|, name: x }, rows: [{ key: a|secret::ROW|, n: 1 }] } }`;

/** The places of secrets in the data of an action that makes something of the source. */
function behind(action: string): readonly string[] {
  const found = warnings(`${source}, { name: B, ${action} }`);
  return [...new Set(found.map((each) => each.replace(/^.*action B(?:, '(.*)')?$/, (_, path) => path ?? "all")))].sort();
}

const transformed = (...transforms: readonly string[]): readonly string[] =>
  behind(`input: a|A|, post_transforms: [${transforms.join(", ")}]`);

test("paths of markers are followed", () => {
  expect(behind("input: a|A|")).toEqual(["inner.key", "rows[*].key", "token"]);
  expect(behind("input: a|A::inner|")).toEqual(["key"]);
  expect(behind("input: a|A::inner.name|")).toEqual([]);
  expect(behind("json_output: { t: a|A::token|, all: a|A::inner| }")).toEqual(["all.key", "t"]);
  expect(behind("json_output: { t: 'Bearer a|A::token|' }")).toEqual(["t"]);
  expect(behind("json_output: { u: a|A::token->upper| }")).toEqual(["u"]);
  expect(behind("json_output: { every: 'a|A::rows[*].key|', n: 'a|A::rows[0].n|' }")).toEqual(["every[*]"]);
});

test("filters that tell nothing of a value end the way", () => {
  expect(behind("json_output: { n: a|A::token->length|, is: a|A::token->some|, count: a|A::rows.count()| }")).toEqual([]);
});

test("transforms that choose members are precise", () => {
  expect(transformed("keep_attributes: [id]")).toEqual([]);
  expect(transformed("keep_attributes: [id, inner.name]")).toEqual([]);
  expect(transformed("keep_attributes: [token]")).toEqual(["token"]);
  expect(transformed("keep_attributes: ['$.inner.key']")).toEqual(["inner.key"]);
  expect(transformed("remove_attributes: [token, inner.key]")).toEqual(["rows[*].key"]);
  expect(transformed("remove_attributes: ['$.rows[*].key', token, inner]")).toEqual([]);
  expect(transformed("remove_keys: [token, rows]")).toEqual(["inner.key"]);
  expect(transformed("extract_value: rows", "keep_attributes: [n]")).toEqual([]);
  expect(transformed("extract_value: rows", "return_row: 0")).toEqual(["key"]);
  expect(transformed("extract_value: inner.name")).toEqual([]);
});

test("members go on under new names, and are replaced", () => {
  expect(transformed("rename_keys: { token: t, inner: i }")).toEqual(["i.key", "rows[*].key", "t"]);
  expect(transformed("keep_attributes: [token]", "add_attribute: { token: none }")).toEqual([]);
  expect(transformed("keep_attributes: [id]", "add_attribute: { late: a|secret::KEY| }")).toEqual(["late"]);
});

test("what is made of several members may hold all of them", () => {
  expect(transformed("keep_attributes: [token]", "to_csv: $")).toEqual(["all"]);
});

test("hashes, signatures and ciphers end the way, encodings do not", () => {
  const only = "keep_attributes: [token, id]";
  expect(transformed(only, "bcrypt: { value: token }")).toEqual([]);
  expect(transformed(only, "bcrypt: { value: token, key: hash }")).toEqual(["token"]);
  expect(transformed("keep_attributes: [id]", "hmac: { key: h, data: a|secret::KEY|, secret: a|secret::KEY| }")).toEqual([]);
  expect(transformed("keep_attributes: [id]", "add_jwt: { key: jwt, secret: a|secret::KEY|, data: { sub: a|A::id| } }")).toEqual([]);
  expect(transformed("keep_attributes: [id]", "add_jwt: { key: jwt, secret: a|secret::KEY|, data: { sub: a|A::token| } }")).toEqual([
    "jwt",
  ]);
  expect(transformed(only, "b64_encode: { json_path: token, key: other }")).toEqual(["token"]);
  expect(transformed(only, "b64_encode: { json_path: token, key: other }", "remove_keys: [token]")).toEqual(["other"]);
  expect(transformed(only, "b64_encode: { json_path: id, key: other }", "remove_keys: [token]")).toEqual([]);
});

test("filters of jq are followed through paths, objects, lists and pipes", () => {
  const jq = (filter: string): readonly string[] => transformed(`extract_with_jq: '${filter}'`);
  expect(jq("{id, name: .inner.name}")).toEqual([]);
  expect(jq("{id, t: .token}")).toEqual(["t"]);
  expect(jq(".rows | map({n})")).toEqual([]);
  expect(jq('[.rows[] | select(.key == "x") | .n]')).toEqual([]);
  expect(jq("[.rows[].key]")).toEqual(["[*]"]);
  expect(jq(".inner as $i | {key: $i.name, n: ($i.key | length)}")).toEqual([]);
  expect(jq("to_entries")).toEqual(["all"]);
  expect(jq('"x\\(.token)"')).toEqual(["all"]);
});

test("nested transforms change the part that their path names", () => {
  expect(transformed("nested_transforms: { inner: [{ remove_keys: [key] }], rows: [{ keep_attributes: [n] }] }")).toEqual(["token"]);
});

test("items of a loop have the secrets of the list and of what they inherit", () => {
  const loop = (item: string): string => `lookup: a|A::rows|, lookup_inherit: { t: a|A::token| }, actions: [{ name: I, ${item} }]`;
  expect(behind(loop("input: a|body::key|"))).toEqual(["[*].data.I.data"]);
  expect(behind(loop("input: a|body::t|"))).toEqual(["[*].data.I.data"]);
  expect(behind(loop("input: a|body::n|"))).toEqual([]);
  expect(behind(loop("hide_action: true, input: a|body|"))).toEqual([]);
});

test("a service gives back nothing of what it was sent", () => {
  const headers = "headers: { x-key: a|secret::KEY| }, body: { key: a|secret::KEY| }, bearer_auth: a|secret::KEY|";
  expect(warnings(`{ name: Call, http: { url: https://api.example.com/, ${headers} } }`)).toEqual([]);
  expect(warnings("{ name: Call, http: { url: 'https://api.example.com/a|secret::KEY|/x?y=1' } }")).toEqual([]);
  expect(warnings("{ name: Call, http: { url: 'https://api.example.com/?y=1&key=a|secret::KEY|' } }")).toEqual([
    "the query of a URL: http.url",
  ]);
});

test("nobody sees the data of an interface without a caller, or behind a body of its own", () => {
  const action = "{ name: A, json_output: { token: a|secret::KEY| } }";
  expect(warnings(action)).toEqual(["the answer: action A, 'token'"]);
  expect(warnings(action, "output: none")).toEqual([]);
  expect(warnings(action, "response: { custom_body: done }")).toEqual([]);
  expect(warnings(action, "silence: true")).toEqual([]);
  expect(warnings(action, "respond: early")).toEqual([]);
  expect(warnings(action, "response: { custom_body: 'a|A::token|' }")).toEqual(["the answer: action A, 'token' -> custom_body"]);
  expect(warnings(action, "response: { custom_body: done, headers: { x: 'a|A::token|' } }")).toEqual([
    "the answer: action A, 'token' -> response.headers.x",
  ]);
});

test("secrets are known by their root, by a seal, and by the last word of their name", () => {
  const read = (marker: string, ...variables: readonly string[]): number =>
    warnings(`{ name: A, input: a|${marker}| }`, undefined, variables).length;
  expect(["secret::x", "var::ENCRYPTED_X", "ap_var::STRIPE_API_KEY", "env::SMTP_PASS", "var::botToken"].map((each) => read(each))).toEqual([
    1, 1, 1, 1, 1,
  ]);
  expect(["env::PUBLIC_KEY", "var::PAGE_TOKENS", "ap_var::KEY", "env::PASSENGERS", "params::token"].map((each) => read(each))).toEqual([
    0, 0, 0, 0, 0,
  ]);
  expect(read("var::PLAIN", "PLAIN: { sealed: v1.x }\n")).toBe(1);
  expect(read("var::PLAIN", "PLAIN: x\n")).toBe(0);
});
