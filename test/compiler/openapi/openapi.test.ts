import { describe, expect, test } from "vitest";
import { isObject, type Json, type JsonObject } from "#runtime/value/json.ts";
import { type DocumentOptions, openApi } from "../../../compiler/openapi/index.ts";
import { admitting, openApiSchema } from "../../../compiler/openapi/schema.ts";
import { planTexts } from "../../../compiler/pipeline.ts";
import { packNames, packTexts } from "../../packs/packs.ts";

// The API document of configurations (spec/surfaces 6.1 and 7).

function document(configs: readonly string[], options?: DocumentOptions): JsonObject {
  const { plans, diagnostics } = planTexts(configs.map((text, i) => ({ file: `${i}.yml`, text })));
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const made = openApi(plans, options);
  if (made === undefined) throw new Error("nothing opted in");
  return made;
}

const config = (interfaces: string, rest = ""): string =>
  `name: t\ndocs: true\n${rest}interfaces:\n${interfaces.replace(/^(?=.)/gm, "  ")}\n`;

function pick(value: Json, ...path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((at, key) => (isObject(at) ? at[key] : Array.isArray(at) ? at[Number(key)] : undefined), value);
}

const operation = (interfaces: string, path: string, method = "get", rest = ""): Json | undefined =>
  pick(document([config(interfaces, rest)]), "paths", path, method);

describe("an operation", () => {
  test("has the body that the author gives failures, but for refusals before the run", () => {
    const text = `
save:
  method: POST
  params: { id: { validate: { is_uuid: true } } }
  actions: [{ name: Body, input: a|body|, assert: { http_code_on_error: 422, tests: [{ value: id, is_not_null: true }] } }]
  response: { error_body: 'no a|body::id|' }`;
    expect(operation(text, "/save", "post")).toMatchObject({
      responses: {
        "400": { $ref: "#/components/responses/Error400" },
        "422": { description: "The content of the request is not what the interface accepts.", content: { "text/plain": { schema: {} } } },
      },
    });
  });

  test("has a component for each status of a failure, which says why it fails", () => {
    const text = `
a:
  method: POST
  params: { p: { validate: { is_uuid: true } } }
  response: { http_code_on_error: 599, http_code_fallback: 404 }
  actions: [{ name: A, input: a|body|, assert: { http_code_on_error: 418, tests: [{ value: x, is_not_null: true }] } }]`;
    const responses = pick(document([config(text)]), "components", "responses");
    expect(Object.entries(responses as JsonObject).map(([name, one]) => [name, pick(one, "description")])).toEqual([
      ["Error400", "The parameters or the body cannot be read, or are not what the interface takes."],
      ["Error404", "What is asked for does not exist."],
      ["Error418", "The interface has refused the request."],
      ["Error599", "The interface could not do its work."],
    ]);
  });

  test("says what the author says of the interface", () => {
    const text =
      "u/:id: { method: GET, summary: One user, description: Longer., notes: Mind the gap., tags: [Users, Users], actions: [{input: a|params|}] }";
    expect(operation(text, "/u/{id}")).toMatchObject({
      operationId: "u-id",
      summary: "One user",
      description: "Longer.\n\nMind the gap.",
      tags: ["Users"],
    });
  });

  test("without a word is called by the names that it has", () => {
    expect(operation("a/b: { method: GET, actions: [{input: a|params|}] }", "/a/b")).toMatchObject({
      operationId: "a-b",
      summary: "a/b",
      description: "a/b",
      tags: ["t"],
    });
  });

  test("has the parameters of its path, which are required, and those of the query that tests and `params` name", () => {
    const text = `
search:
  method: GET
  route: /s/:kind/*rest
  params:
    limit: { default_value: 10, validate: { regex: "^[0-9]+$" } }
    order: { validate: { contains: { allowed: [up, down] }, description: How to sort } }
    free: {}
    moved: { value: a|params::other|, validate: { is_uuid: true } }
    elsewhere: { value: a|headers::x|, validate: { is_uuid: true } }
  actions:
    - name: V
      input: a|params|
      assert: { tests: [{ value: kind, is_less_than: 9 }, { value: q, is_not_empty: true }, { value: limit, is_not_empty: true }] }
`;
    expect(pick(operation(text, "/s/{kind}/{rest}") ?? null, "parameters")).toEqual([
      { name: "kind", in: "path", required: true, schema: { type: "number", maximum: 9, exclusiveMaximum: true } },
      { name: "rest", in: "path", required: true, schema: { type: "string" } },
      { name: "q", in: "query", required: true, schema: { type: "string", minLength: 1 } },
      { name: "limit", in: "query", schema: { type: "string", default: "10", pattern: "^[0-9]+$", minLength: 1 } },
      {
        name: "order",
        in: "query",
        required: true,
        description: "How to sort",
        schema: { type: "string", enum: ["up", "down"] },
      },
      { name: "free", in: "query", schema: { type: "string" } },
      { name: "other", in: "query", required: true, schema: { type: "string", format: "uuid" } },
    ]);
  });

  test.each(["get", "head", "delete"])("of %s has no body", (method) => {
    const text = `a: { method: ${method.toUpperCase()}, actions: [{ input: a|body|, assert: { tests: [{ value: x, is_uuid: true }] } }] }`;
    expect(operation(text, "/a", method)).not.toHaveProperty("requestBody");
  });

  test("has a body where tests, an example or a marker speak of one", () => {
    const body = (rest: string): Json | undefined => pick(operation(`a: { method: POST, ${rest} }`, "/a", "post") ?? null, "requestBody");
    expect(body("actions: [{ json_output: 1 }]")).toBeUndefined();
    expect(body("actions: [{ input: a|body| }]")).toEqual({
      content: { "application/json": { schema: { type: "object", properties: {} } } },
    });
    expect(body("accepts: { example: { a: 1 } }, actions: [{ json_output: 1 }]")).toEqual({
      content: { "application/json": { schema: { type: "object", properties: {}, additionalProperties: true }, example: { a: 1 } } },
    });
    expect(body("accepts: { example: [1] }, actions: [{ json_output: 1 }]")).toEqual({
      content: { "application/json": { schema: {}, example: [1] } },
    });
    expect(body('accepts: { example: "{ \\"a\\": 1 }" }, request_example: old, actions: [{ json_output: 1 }]')).toMatchObject({
      content: { "application/json": { example: { a: 1 } } },
    });
    expect(body("actions: [{ input: a|body|, assert: { tests: [{ value: x, is_uuid: true }] } }]")).toMatchObject({ required: true });
    expect(body("accepts: { schema: { type: object, properties: { a: { const: 1 } } } }, actions: [{ json_output: 1 }]")).toEqual({
      content: { "application/json": { schema: { type: "object", properties: { a: { enum: [1] } } } } },
    });
  });

  test("has every status that is known without running it", () => {
    const text = `
a:
  method: POST
  params: { p: { validate: { is_uuid: true } } }
  network: { rate_limit: { requests: 1 }, on_deny: { status: 429 } }
  response: { http_code_on_error: 502, http_code_fallback: 503 }
  assert: { http_code_on_success: 201, http_code_on_error: 409, tests: [{ value: x, is_not_null: true }] }
  actions:
    - name: A
      input: a|body|
      assert: { http_code_on_error: 422, tests: [{ value: t, is_uuid: true, http_code_on_error: 418 }] }
      response_on_error: { http_code: 410 }
    - name: B
      run_when_succeeded: { actions: [A], http_code_on_error: 424 }
      json_output: 1
`;
    expect(Object.keys((pick(operation(text, "/a", "post") ?? null, "responses") ?? {}) as JsonObject)).toEqual([
      "201",
      "400",
      "409",
      "410",
      "418",
      "422",
      "424",
      "429",
      "502",
      "503",
    ]);
    expect(
      Object.keys((pick(operation("a: { method: GET, actions: [{ json_output: 1 }] }", "/a") ?? null, "responses") ?? {}) as JsonObject),
    ).toEqual(["200"]);
  });

  test("that answers early says so, and no status of its run", () => {
    const text =
      "a: { method: POST, respond: early, actions: [{ input: a|body|, assert: { http_code_on_error: 422, tests: [{ value: x, is_uuid: true }] } }] }";
    const responses = pick(operation(text, "/a", "post") ?? null, "responses");
    expect(Object.keys((responses ?? {}) as JsonObject)).toEqual(["202", "400", "429"]);
    expect(pick(responses ?? null, "202", "content", "application/json", "schema", "required")).toEqual(["accepted", "request_id"]);
  });

  test("answers with the envelope, with what the author declares, or with text", () => {
    const media = (rest: string): Json | undefined =>
      pick(operation(`a: { method: GET, ${rest}, actions: [{ name: A, json_output: 1 }] }`, "/a") ?? null, "responses", "200", "content");
    const outcome = { $ref: "#/components/schemas/Outcome" };
    expect(media("summary: x")).toEqual({ "application/json": { schema: outcome } });
    expect(media("produces: { example: { data: { A: { data: 1 } } } }")).toMatchObject({ "application/json": { schema: outcome } });
    expect(media("produces: { example: { id: 1 } }")).toEqual({ "application/json": { schema: {}, example: { id: 1 } } });
    expect(media("produces: { schema: { type: [string, 'null'] } }")).toEqual({
      "application/json": { schema: { type: "string", nullable: true } },
    });
    expect(media("response: { custom_body: done }")).toEqual({ "text/plain": { schema: {} } });
    expect(media('response: { custom_body: done, headers: { Content-Type: "text/html; charset=utf-8" } }')).toEqual({
      "text/html": { schema: {} },
    });
    expect(media("response: { custom_body: done, headers: { content-type: a|params::type| } }")).toEqual({ "text/plain": { schema: {} } });
    expect(media("silence: true")).toBeUndefined();
  });

  test.each([
    ["a|headers::airpipe-jwt|", "airpipe-jwt", { type: "apiKey", in: "header", name: "airpipe-jwt" }],
    ["a|headers::authorization|", "bearer", { type: "http", scheme: "bearer", bearerFormat: "JWT" }],
  ])("demands the token that a test reads from %s", (value, name, scheme) => {
    const test = `{ value: "${value}", is_valid_jwt: a|var::KEY| }`;
    const made = document([config(`a: { method: GET, actions: [{ input: a|params|, assert: { tests: [${test}] } }] }`)]);
    expect(pick(made, "paths", "/a", "get", "security")).toEqual([{ [name]: [] }]);
    expect(pick(made, "components", "securitySchemes")).toEqual({ [name]: scheme });
  });

  test("demands a token that is read by way of actions that take the headers", () => {
    const tests = "assert: { tests: [{ value: Authorization, is_valid_jwt: a|var::KEY| }] }";
    const text = `a: { method: GET, actions: [{ name: H, input: a|headers| }, { name: V, input: a|H|, ${tests} }] }`;
    expect(pick(operation(text, "/a") ?? null, "security")).toEqual([{ bearer: [] }]);
    const body = `a: { method: GET, actions: [{ name: V, input: a|body|, ${tests} }] }`;
    expect(operation(body, "/a")).not.toHaveProperty("security");
  });

  test("never shows what a marker stands for", () => {
    const text = "a: { method: POST, actions: [{ input: a|body|, assert: { tests: [{ value: k, is_equal_to: a|env::HIDDEN| }] } }] }";
    expect(JSON.stringify(document([config(text)]))).not.toContain("HIDDEN");
  });
});

describe("the document", () => {
  const one = "name: one\ndocs: true\ndescription: The first.\ninterfaces:\n  b: { method: GET, actions: [{ json_output: 1 }] }\n";
  const two =
    "name: two\ndocs: true\ninterfaces:\n  a/:x: { method: GET, tags: [T], actions: [{ json_output: 1 }] }\n  p: { method: POST, route: '/a/:y', actions: [{ input: a|params::y| }] }\n";
  const hidden = "name: hidden\ninterfaces:\n  h: { method: GET, actions: [{ json_output: 1 }] }\n";

  test("joins the configurations that opt in, in one order", () => {
    const made = document([one, two, hidden]);
    expect(JSON.stringify(made)).toBe(JSON.stringify(document([hidden, two, one])));
    expect(Object.keys((made.paths ?? {}) as JsonObject)).toEqual(["/a/{x}", "/b"]);
    expect(made.tags).toEqual([
      { name: "T", description: "The interfaces with the tag T." },
      { name: "one", description: "The first." },
      { name: "two", description: "The interfaces of two." },
    ]);
    expect(made.info).toEqual({
      title: "API",
      version: "0.0.0",
      description: "The interfaces of one, two.\n\n**one**: The first.",
      contact: { name: "API" },
    });
    expect(made.servers).toEqual([{ url: "/" }]);
  });

  test("has one path for routes of one shape, whose parameters it calls alike", () => {
    const item = pick(document([two]), "paths", "/a/{x}");
    expect(Object.keys(item as JsonObject)).toEqual(["get", "post"]);
    expect(pick(item ?? null, "post", "parameters", "0", "name")).toBe("x");
  });

  test("says of a body what the interface-level assert tests of it, and that what is counted is there", () => {
    const bodyOf = (text: string): unknown =>
      pick(operation(`a: { method: POST, ${text} }`, "/a", "post") ?? null, "requestBody", "content", "application/json", "schema");
    const tests =
      "assert: { tests: [{ value: city, is_not_empty: true }, { value: items.count(), is_greater_than: 0 }, { value: tags.count(), is_less_than: 3 }] }";
    const all = {
      type: "object",
      required: ["city", "items"],
      properties: { city: { minLength: 1 }, items: { type: "array", minItems: 1 }, tags: { type: "array", maxItems: 2 } },
    };
    expect(bodyOf(`actions: [], ${tests}`)).toMatchObject(all);
    expect(bodyOf(`actions: [{ name: B, input: a|body| }], ${tests}`)).toMatchObject(all);
    // The last action makes something else, or may be skipped.
    const base = { type: "object", properties: {} };
    expect(bodyOf(`actions: [{ name: B, input: a|body| }, { name: C, json_output: { n: a|B::n| } }], ${tests}`)).toEqual(base);
  });

  test("has the status 500 where a database may fail", () => {
    const db = "global: { databases: { db: { driver: sqlite, conn_string: 'sqlite::memory:' } } }\n";
    const text = "a: { method: GET, actions: [{ name: Q, database: db, query: SELECT 1 }] }";
    expect(Object.keys((pick(operation(text, "/a", "get", db) ?? null, "responses") ?? {}) as JsonObject)).toEqual(["200", "500"]);
    const named = text.replace("actions:", "response: { http_code_on_error: 503 }, actions:");
    expect(Object.keys((pick(operation(named, "/a", "get", db) ?? null, "responses") ?? {}) as JsonObject)).toEqual(["200", "503"]);
  });

  test("demands the token that an action or a parameter takes as a whole", () => {
    const jwt = "is_valid_jwt: { secret: not-a-secret-of-anybody-at-all-32 }";
    const taken = `a: { method: GET, actions: [{ name: V, input: a|headers::authorization|, assert: { tests: [{ ${jwt} }] } }] }`;
    const param = `a: { method: GET, params: { t: { value: a|headers::authorization|, validate: { ${jwt} } } }, actions: [{ name: V, json_output: 1 }] }`;
    for (const text of [taken, param]) expect(pick(operation(text, "/a") ?? null, "security")).toEqual([{ bearer: [] }]);
  });

  test("names an interface for any method once for each", () => {
    const ids = Object.values(
      (pick(document([config("a: { method: ANY, actions: [{ json_output: 1 }] }")]), "paths", "/a") ?? {}) as JsonObject,
    );
    expect(ids.map((each) => pick(each, "operationId"))).toEqual(["a-delete", "a-get", "a-patch", "a-post", "a-put"]);
  });

  test("has the name and the version of the configuration, and the highest version of several", () => {
    const versioned = (version: string): string => one.replace("docs: true", `docs: true\nversion: ${version}`);
    const other = two.replace("docs: true", 'docs: true\nversion: "1.10"');
    expect(document([one]).info).toMatchObject({ title: "one", version: "0.0.0" });
    expect(document([versioned('"2"')]).info).toMatchObject({ title: "one", version: "2" });
    expect(document([versioned("1.9.1"), other, hidden.replace("\n", '\nversion: "7"\n')]).info).toMatchObject({
      title: "API",
      version: "1.10",
    });
    expect(document([versioned("1.9.1"), other], { version: "3", title: "T" }).info).toMatchObject({ title: "T", version: "3" });
  });

  test("takes title, version and addresses from the command", () => {
    const options = { title: "Blog", version: "7", servers: ["https://a.example", "https://b.example"] };
    expect(document([one], options)).toMatchObject({
      info: { title: "Blog", version: "7", description: "The first." },
      servers: [{ url: "https://a.example" }, { url: "https://b.example" }],
    });
  });

  test("is undefined where nobody opts in", () => {
    expect(openApi(planTexts([{ file: "h.yml", text: hidden }]).plans)).toBeUndefined();
  });
});

describe("a schema of OpenAPI 3.0.3", () => {
  test.each<[string, Json, JsonObject]>([
    ["a constant", { const: 1 }, { enum: [1] }],
    [
      "bounds that do not count themselves",
      { exclusiveMinimum: 1, maximum: 3, exclusiveMaximum: 3 },
      { minimum: 1, exclusiveMinimum: true, maximum: 3, exclusiveMaximum: true },
    ],
    ["a bound that is narrower", { minimum: 5, exclusiveMinimum: 1 }, { minimum: 5 }],
    ["null", { type: "null" }, { enum: [null] }],
    ["a type or null", { type: ["null", "integer"] }, { type: "integer", nullable: true }],
    ["several types", { type: ["string", "number"], minLength: 1 }, { minLength: 1 }],
    [
      "what it has no words for",
      { prefixItems: [{}], contains: {}, minContains: 1, if: {}, $schema: "x", $id: "y", $defs: {}, patternProperties: {} },
      {},
    ],
    ["a list", { type: "array", contains: { const: 1 } }, { type: "array", items: {} }],
    ["a list of what", { type: "array", items: { const: "a" } }, { type: "array", items: { enum: ["a"] } }],
    ["booleans", { properties: { a: true, b: false }, items: false }, { properties: { a: {}, b: { not: {} } }, items: { not: {} } }],
    ["requirements", { required: ["a", "a"] }, { required: ["a"] }],
    ["no requirements", { required: [] }, {}],
    ["examples", { examples: [1, 2] }, { example: 1 }],
    ["forms", { anyOf: [{ const: 1 }], oneOf: [], not: { const: 2 } }, { anyOf: [{ enum: [1] }], not: { enum: [2] } }],
    [
      "a reference",
      { properties: { a: { $ref: "#/$defs/A~1B" } }, $defs: { "A/B": { type: "string" } } },
      { properties: { a: { type: "string" } } },
    ],
    ["references to elsewhere", { properties: { a: { $ref: "https://x.example/s" } } }, { properties: { a: {} } }],
    [
      "a name that is a trap",
      JSON.parse('{"properties":{"__proto__":{"type":"string"}}}'),
      JSON.parse('{"properties":{"__proto__":{"type":"string"}}}'),
    ],
  ])("%s", (_, schema, expected) => {
    expect(openApiSchema(schema)).toEqual(expected);
  });

  test("what refers to itself ends", () => {
    const text = JSON.stringify(openApiSchema({ properties: { next: { $ref: "#" } } }));
    expect(text.length).toBeLessThan(1_000);
  });

  test("an example may have more members than tests name", () => {
    const schema = { type: "object", properties: { a: { type: "array", items: { properties: { b: {} } } } } };
    expect(admitting(schema, { a: [{ b: 1 }] })).toEqual(schema);
    expect(admitting(schema, { a: [{ b: 1, c: 2 }], d: 1 })).toEqual({
      type: "object",
      properties: { a: { type: "array", items: { properties: { b: {} }, additionalProperties: true } } },
      additionalProperties: true,
    });
  });
});

const packs = packNames();

describe.skipIf(packs.length === 0)("the documents of all packs", () => {
  const made = packs.flatMap((pack) => {
    const document = openApi(planTexts(packTexts(pack)).plans);
    return document === undefined ? [] : [[pack, document] as const];
  });

  test("at least one pack has documents", () => expect(made).not.toEqual([]));

  test.each(made)("%s", (_, document) => {
    const operations = Object.entries((document.paths ?? {}) as JsonObject).flatMap(([path, item]) =>
      Object.values(item as JsonObject).map((one) => ({ path, one: one as JsonObject })),
    );
    const ids = operations.map(({ one }) => one.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { path, one } of operations) {
      const named = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
      const inPath = ((one.parameters ?? []) as JsonObject[]).filter((each) => each.in === "path").map(({ name }) => name);
      expect([path, inPath]).toEqual([path, named]);
      expect(((document.tags ?? []) as JsonObject[]).map(({ name }) => name)).toEqual(expect.arrayContaining((one.tags ?? []) as Json[]));
    }
    for (const [, target = ""] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g))
      expect(pick(document, ...target.split("/")), target).toBeDefined();
  });
});
