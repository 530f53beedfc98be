import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import { client } from "../../../compiler/client/index.ts";
import { planned } from "../../harness/compile.ts";
import { config, document, operation, pick } from "./documented.ts";

// The API document describes one interface (spec/surfaces 6.1 and 7).

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
      { name: "x", in: "header", required: true, schema: { type: "string" } },
    ]);
  });

  test.each<[string, JsonObject]>([
    ["contains: { allowed: [1, 2, 2.50, a, '1', null] }", { type: "string", enum: ["1", "2", "2.5", "a"] }],
    ["is_string: true, contains: { allowed: [1] }", { type: "string", enum: ["1"] }],
    ["is_number: true, contains: { allowed: ['1', 2, x] }", { type: "number", enum: [1, 2] }],
    ["contains: { disallowed: [1] }", { type: "string", not: { enum: ["1"] } }],
    ["is_null: true", { type: "string" }],
    ["is_equal_to: 1", { type: "number", enum: [1] }],
    ["is_equal_to: [1, a]", { type: "array", items: {} }],
    ["is_equal_to: 1, case_insensitive: true", { type: "number", enum: [1] }],
  ])("has the texts that a parameter can have: %s", (tests, schema) => {
    const text = `a: { method: GET, params: { n: { validate: { ${tests} } } }, actions: [{ input: a|params| }] }`;
    expect(pick(operation(text, "/a") ?? null, "parameters", "0", "schema")).toEqual(schema);
  });

  test.each(["get", "head", "delete"])("of %s has no body", (method) => {
    const text = `a: { method: ${method.toUpperCase()}, actions: [{ input: a|body|, assert: { tests: [{ value: x, is_uuid: true }] } }] }`;
    expect(operation(text, "/a", method)).not.toHaveProperty("requestBody");
  });

  test("has the headers that its parameters read, once each and without those that OpenAPI says elsewhere", () => {
    const params =
      "a: { value: a|headers::X-Tenant|, validate: { is_uuid: true } }, b: { value: a|headers::x-tenant| }, c: { value: a|headers::x-lang|, default_value: en, validate: { is_not_empty: true } }, d: { value: a|headers::authorization| }";
    expect(operation(`a: { method: GET, params: { ${params} }, actions: [] }`, "/a", "get")).toMatchObject({
      parameters: [
        { name: "x-tenant", in: "header", required: true, schema: { type: "string" } },
        { name: "x-lang", in: "header", schema: { type: "string" } },
      ],
    });
  });

  test("gives a number that a test calls an integer this type", () => {
    const text = "a: { method: GET, params: { n: { validate: { is_integer: true, is_between: { min: 1, max: 9 } } } }, actions: [] }";
    expect(operation(text, "/a", "get")).toMatchObject({
      parameters: [{ name: "n", in: "query", required: true, schema: { type: "integer", minimum: 1, maximum: 9 } }],
    });
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
    for (const accepts of ["{ example: null }", "null"])
      expect(body(`accepts: ${accepts}, request_example: old, actions: [{ json_output: 1 }]`)).toMatchObject({
        content: { "application/json": { example: "old" } },
      });
    expect(body('accepts: { example: "{ \\"a\\": 1 }" }, request_example: old, actions: [{ json_output: 1 }]')).toMatchObject({
      content: { "application/json": { example: { a: 1 } } },
    });
    expect(body("actions: [{ input: a|body|, assert: { tests: [{ value: x, is_uuid: true }] } }]")).toMatchObject({ required: true });
    expect(body("accepts: { schema: { type: object, properties: { a: { const: 1 } } } }, actions: [{ json_output: 1 }]")).toEqual({
      content: { "application/json": { schema: { type: "object", properties: { a: { enum: [1] } } } } },
    });
  });

  test.each<[string, boolean]>([
    ["{ type: object }", true],
    ["{ type: array }", true],
    ["{ $ref: '#/$defs/a', $defs: { a: { type: object } } }", true],
    ["{ allOf: [{ type: object }, {}] }", true],
    ["{ anyOf: [{ type: object }, { type: string }] }", true],
    ["{ not: { type: 'null' } }", true],
    ["{ type: [object, 'null'], required: [a] }", false],
    ["{ anyOf: [{ type: object }, { type: 'null' }] }", false],
    ["{ required: [a] }", false],
    ["{}", false],
  ])("with the enforced schema %s demands a body where null does not satisfy it: %s", async (schema, demands) => {
    const keys = `a: { method: POST, accepts: { enforce: true, schema: ${schema} }, actions: [{ input: a|body| }] }`;
    expect(pick(operation(keys, "/a", "post") ?? null, "requestBody", "required")).toBe(demands ? true : undefined);
    const code = await client(planned(config(keys)).plans);
    expect(/readonly body(\??): (?:AInput|unknown) \}/.exec(code ?? "")?.[1]).toBe(demands ? "" : "?");
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
    - name: B
      run_when_succeeded: { actions: [A], http_code_on_error: 424 }
      input: a|body|
      assert: { http_code_on_error: 451, tests: [{ value: t, is_uuid: true, http_code_on_error: 452 }] }
      response_on_error: { http_code: 410 }
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

  test("that is durable may go on later, and its store may be away", () => {
    const statuses = (rest: string): Json | undefined => pick(operation(`a: { method: GET, ${rest} }`, "/a") ?? null, "responses");
    const codes = (rest: string): readonly string[] => Object.keys((statuses(rest) ?? {}) as JsonObject);
    expect(codes("durable: true, actions: [{ json_output: 1 }]")).toEqual(["200", "202", "503"]);
    expect(codes("durable: true, respond: early, actions: [{ json_output: 1 }]")).toEqual(["202", "429", "503"]);
    const accepted = pick(statuses("actions: [{ delay: 2d }]") ?? null, "202", "content", "application/json", "schema");
    expect(accepted).toMatchObject({ required: ["accepted", "request_id"], properties: { waiting: { type: "boolean" } } });
    expect(pick(statuses("silence: true, durable: true, actions: []") ?? null, "202", "content")).toBeUndefined();
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
    expect(media("response: { custom_body: done, headers: { content-type: a|params::type| } }")).toEqual({ "*/*": { schema: {} } });
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
