import { expect, test } from "vitest";
import { planTexts } from "../../../compiler/pipeline.ts";

/** Warnings about secrets of an interface with these actions and this response, without the words that all have. */
function warnings(actions: string, rest = "response: { headers: {} }", variables: readonly string[] = []): readonly string[] {
  const text = `name: flow\ninterfaces:\n  one:\n    method: POST\n    ${rest}\n    actions: [${actions}]\n`;
  const files = variables.map((each) => ({ file: "vars/base.yaml", text: each }));
  const { diagnostics } = planTexts([{ file: "flow.yaml", text }], { variables: files });
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

const call = (url: string): readonly string[] => warnings(`{ name: Call, http: { url: '${url}' } }`);

test("a segment of a path shows its secret", () => {
  const wrong = ["the path of a URL: http.url"];
  expect(call("https://api.example.com/a|secret::KEY|/x?y=1")).toEqual(wrong);
  expect(call("https://api.example.com/users/a|secret::KEY|")).toEqual(wrong);
  expect(call("a|env::BASE|/users/a|secret::KEY|?page=a|params::page|")).toEqual(wrong);
});

test("an address that is a secret itself is what its service asks for", () => {
  expect(call("a|secret::URL|")).toEqual([]);
  expect(call("https://a|secret::KEY|@api.example.com/x")).toEqual([]);
  expect(call("https://api.telegram.org/a|ap_var::BOT_TOKEN->prefix(bot)|/sendMessage")).toEqual([]);
  expect(call("https://discord.com/api/webhooks/a|var::ID|/a|secret::KEY|")).toEqual([]);
  expect(call("https://hooks.slack.com/services/a|secret::KEY|")).toEqual([]);
});

test("arguments of commands and names of files are seen by others", () => {
  expect(warnings("{ name: Run, command: { run: [curl, -u, 'me:a|secret::KEY|', localhost] } }")).toEqual([
    "the arguments of a command: command.run[*]",
  ]);
  expect(warnings("{ name: Run, command: { run: 'login a|secret::KEY|' } }")).toEqual([]); // it is in the environment of the shell
  const part = (fields: string): readonly string[] =>
    warnings(`{ name: Send, http: { url: https://api.example.com/, method: POST, multipart: [{ name: file, ${fields} }] } }`);
  expect(part("value: x, filename: 'a|secret::KEY|.txt'")).toEqual(["the name of a file: http.multipart[*].filename"]);
  expect(part("file_path: '/tmp/a|secret::KEY|'")).toEqual(["the name of a file: http.multipart[*].file_path"]);
  expect(part("value: a|secret::KEY|")).toEqual([]);
});

test("answers of an action and of a failed run are answers", () => {
  const hidden = "name: A, hide_action: true, json_output: { token: a|secret::KEY|, id: 1 }";
  const shows = (field: string): readonly string[] => warnings(`{ ${hidden}, ${field} }`, "response: { custom_body: done }");
  expect(shows("response_on_success: { body: 'a|A::token|' }")).toEqual(["the answer: action A, 'token' -> response_on_success.body"]);
  expect(shows("response_on_error: { http_code: 500, body: 'no a|A::token|' }")).toEqual([
    "the answer: action A, 'token' -> response_on_error.body",
  ]);
  expect(shows("response_on_error: { http_code: 500, headers: { x-key: a|A::token| } }")).toEqual([
    "the answer: action A, 'token' -> response_on_error.headers.x-key",
  ]);
  expect(shows("response_on_error: { http_code: 500, body: 'a|A::id|' }")).toEqual([]);
  expect(warnings(`{ ${hidden} }`, "response: { custom_body: done, error_body: 'a|A::token|' }")).toEqual([
    "the answer: action A, 'token' -> error_body",
  ]);
});

test("the handler of errors gets the data of the run", () => {
  const flow = (hide: string, read: string): readonly string[] => {
    const first = `one: { method: POST, response: { custom_body: done }, actions: [{ name: A, ${hide}json_output: { token: a|secret::KEY|, id: 1 } }] }`;
    const handler = `failed: { output: none, actions: [{ name: Tell, mqtt_publish: { topics: errors, data: ${read} } }] }`;
    const text = `name: flow\non_error: { interface: failed }\ninterfaces:\n  ${handler}\n  ${first}\n`;
    const { diagnostics } = planTexts([{ file: "flow.yaml", text }]);
    expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    return diagnostics.filter(({ code }) => code === "PW283").map(({ message }) => message);
  };
  expect(flow("", "a|body::data.A.data|")).toEqual([
    "the secret KEY reaches a message: action A, 'token' -> on_error -> mqtt_publish.data.token",
  ]);
  expect(flow("", "a|body::data.A.data.id|")).toEqual([]);
  expect(flow("", "a|body::http_code|")).toEqual([]);
  expect(flow("hide_data_on_success: true, ", "a|body|")).toEqual([]);
});

test("what requests are for is no warning", () => {
  const send = (fields: string): readonly string[] => warnings(`{ name: Call, http: { url: https://login.example.com/token, ${fields} } }`);
  expect(send("headers: { authorization: 'Bearer a|secret::KEY|' }")).toEqual([]);
  expect(send("method: POST, body: { client_secret: a|secret::KEY|, grant_type: client_credentials }")).toEqual([]);
  expect(send("user: me, pass: a|secret::KEY|")).toEqual([]);
  const signed = "post_transforms: [{ hmac: { key: h, data: a|body::id|, secret: a|secret::KEY| } }]";
  expect(warnings(`{ name: S, json_output: {}, ${signed} }, { name: R, http: { url: 'https://api.example.com/x?sig=a|S::h|' } }`)).toEqual(
    [],
  );
});

test("an address in a variable has its query, too", () => {
  const found = (address: string): readonly string[] => {
    const text = `name: flow\nglobal: { variables: { address: "${address}" } }\ninterfaces:\n  one:\n    method: POST\n    actions: [{ name: Call, http: { url: a|var::address| } }]\n`;
    const { diagnostics } = planTexts([{ file: "flow.yaml", text }]);
    expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    return diagnostics.filter(({ code }) => code === "PW284").map(({ message }) => message);
  };
  expect(found("https://api.example.com/x?key=a|secret::KEY|")).toEqual([
    "the secret KEY reaches the query of a URL: variable address -> http.url",
  ]);
  expect(found("https://me:a|secret::KEY|@api.example.com/x?page=1")).toEqual([]);
  expect(found("https://hooks.example.com/services/a|secret::KEY|")).toEqual([]);
});

test("a token that a service gives is a secret", () => {
  const told = (action: string, more = ""): readonly string[] => {
    const text = `name: flow\nglobal: { google_credentials: { push: { file: push.json } } }\ninterfaces:\n  one: { method: POST, actions: [${action}${more}] }\n`;
    return planTexts([{ file: "flow.yaml", text }]).diagnostics.map(({ code, message }) => `${code} ${message}`);
  };
  const token = "{ name: T, google: { create_token: { scopes: [a] } }";
  expect(told(`${token} }`)).toEqual(["PW283 the token of action T reaches the answer: action T, 'token'"]);
  expect(told(`${token}, hide_action: true }`, ', { name: H, http: { url: "https://a.example/", bearer_auth: a|T::token| } }')).toEqual([]);
  expect(told(`${token}, hide_action: true }`, ", { name: B, json_output: { until: a|T::expires_at|, t: a|T::authorization| } }")).toEqual([
    "PW283 the token of action T reaches the answer: action T, 'authorization' -> action B, 't'",
  ]);
  expect(told("{ name: T, google: { create_token_raw: { scopes: [a] } } }")).toHaveLength(1);
  expect(told("{ name: L, google: { list_objects: { bucket: one } } }")).toEqual([]);
});
