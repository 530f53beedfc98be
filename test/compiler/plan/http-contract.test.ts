import { expect, test } from "vitest";
import { any, array, nothing, number, object, type Shape, string, union } from "#runtime/shapes/shape.ts";
import type { Json } from "#runtime/value/json.ts";
import { planTexts, printAll } from "../../../compiler/pipeline.ts";

// `http.contract`: the shape of an answer comes from the document of its service (spec/language 5.1.6).

const user = { type: "object", additionalProperties: false, required: ["id"], properties: { id: { type: "integer" } } };

const document = {
  openapi: "3.0.3",
  paths: {
    "/users": {
      get: {
        operationId: "list",
        responses: {
          200: { content: { "application/json": { schema: { type: "array", items: { $ref: "#/components/schemas/User" } } } } },
        },
      },
      post: { operationId: "create", responses: { "2XX": { $ref: "#/components/responses/Made" }, 400: {} } },
    },
    "/users/{id}": {
      get: { operationId: "one", responses: { 200: { content: { "application/hal+json; charset=utf-8": { schema: user } } } } },
      head: { operationId: "text", responses: { 200: { content: { "text/plain": { schema: { type: "string" } } } } } },
      delete: { operationId: "remove", responses: { 204: { description: "gone" } } },
    },
  },
  components: { schemas: { User: user }, responses: { Made: { content: { "application/json": { schema: user } } } } },
};

function plan(http: Json, file: Json | string = document): ReturnType<typeof planTexts> {
  const action = { name: "A", http };
  const text = JSON.stringify({ name: "c", interfaces: { i: { output: "http", method: "GET", actions: [action] } } });
  const include = (): { text: string } => ({ text: typeof file === "string" ? file : JSON.stringify(file) });
  return planTexts([{ file: "c.yaml", text }], { include });
}

function bodyOf(http: Json, file?: Json | string): Shape | undefined {
  const data = plan(http, file).plans[0]?.interfaces[0]?.shapes.actions.get("A")?.data;
  return data?.type === "object" ? data.members.get("body")?.shape : undefined;
}

const said = (http: Json): readonly string[] => plan(http).diagnostics.map(({ code, message }) => `${code} ${message}`);

const one = object({ id: number });

test.each<[string, Json, Shape]>([
  ["a list, with a reference", { url: "https://u.example/users", contract: "u.json#list" }, union(array(one), nothing)],
  [
    "a reference to an answer, for all of 2XX",
    { url: "https://u.example/users", method: "POST", contract: "u.json#create" },
    union(one, nothing),
  ],
  ["a media type that ends in json", { url: "https://u.example/api/users/7", contract: "u.json#one" }, union(one, nothing)],
  ["no body", { url: "https://u.example/users/7", method: "DELETE", contract: "u.json#remove" }, nothing],
  ["another media type is open", { url: "https://u.example/users/7", method: "HEAD", contract: "u.json#text" }, any],
  ["statuses of failure are open", { url: "https://u.example/users/7", contract: "u.json#one", expect_status: ["2xx", 404] }, any],
  ["pages are open", { url: `https://u.example/users?p=\${page}`, contract: "u.json#list", pagination: {} }, array(any)],
  ["what is read as text is text", { url: "https://u.example/users/7", contract: "u.json#one", data_type: "text" }, union(string, nothing)],
])("%s", (_, http, shape) => {
  expect(bodyOf(http)).toEqual(shape);
  expect(said(http)).toEqual([]);
});

test("the document may be YAML", () => {
  const yaml =
    "openapi: 3.1.0\npaths:\n  /a:\n    get:\n      operationId: a\n      responses: { 200: { content: { application/json: { schema: { type: string } } } } }\n";
  expect(bodyOf({ url: "https://u.example/a", contract: "u.yaml#a" }, yaml)).toEqual(union(string, nothing));
});

const users = `name: users
interfaces:
  users/one:
    method: GET
    route: /users/:id
    produces: { schema: { type: object, additionalProperties: false, required: [id], properties: { id: { type: integer } } } }
    actions: []
  files: { method: ANY, route: "files/*path", actions: [] }
  nightly: { schedule: { cron: "0 0 * * *" }, actions: [] }
`;

test("the document may be a configuration of pipewright: `produces` of its interfaces", () => {
  expect(bodyOf({ url: "https://u.example/users/7", contract: "u.yaml#users/one" }, users)).toEqual(union(one, nothing));
  expect(bodyOf({ url: "https://u.example/files/a/b", contract: "u.yaml#files" }, users)).toEqual(any);
  const saidOf = (http: Json): readonly string[] => plan(http, users).diagnostics.map(({ code, message }) => `${code} ${message}`);
  expect(saidOf({ url: "https://u.example/files/a/b", method: "PUT", contract: "u.yaml#files" })).toEqual([]);
  expect(saidOf({ url: "https://u.example/user/7", contract: "u.yaml#users/one" })).toEqual([
    "PW282 the action asks for /user/7, and operation 'users/one' is GET /users/{id}",
  ]);
  expect(saidOf({ url: "https://u.example/users/7", contract: "u.yaml#nightly" })).toEqual(["PW281 'u.yaml' has no operation 'nightly'"]);
});

test.each<[string, Json | string]>([
  [
    "interfaces that are none",
    { interfaces: { a: 7, b: null, c: { method: 7, route: ["x"], produces: "x" }, __proto__: { route: "/x" } } },
  ],
  ["interfaces that are a list", { interfaces: [{ route: "/a" }] }],
])("nothing of a stranger's file breaks the compiler: %s", (_, file) => {
  const codes = plan({ url: "https://u.example/users", contract: "u.json#c" }, file).diagnostics.map(({ code }) => code);
  expect(codes.every((code) => ["PW145", "PW281", "PW282"].includes(code))).toBe(true);
});

test.each<[string, Json, readonly string[]]>([
  ["an unknown operation", { url: "https://u.example/users", contract: "u.json#lst" }, ["PW281 'u.json' has no operation 'lst'"]],
  ["no operation", { url: "https://u.example/users", contract: "u.json" }, ["PW281 'u.json' has no operation ''"]],
  [
    "another method",
    { url: "https://u.example/users", body: {}, contract: "u.json#list" },
    ["PW282 the action asks for POST, and operation 'list' is GET /users"],
  ],
  [
    "another path",
    { url: "https://u.example/user/7?a=/users/7", contract: "u.json#one" },
    ["PW282 the action asks for /user/7, and operation 'one' is GET /users/{id}"],
  ],
  [
    "too short a path",
    { url: "https://u.example/7", contract: "u.json#one" },
    ["PW282 the action asks for /7, and operation 'one' is GET /users/{id}"],
  ],
  ["an address that a marker gives", { url: "a|var::U|", contract: "u.json#one" }, []],
  ["a base that a marker gives", { url: "a|var::U|/users/a|ip|", contract: "u.json#one" }, []],
])("%s", (_, http, expected) => {
  expect(said(http)).toEqual(expected);
});

test.each([true, false])("a module has nothing of it (interpreted: %s)", async (interpret) => {
  const [module] = await printAll(plan({ url: "https://u.example/users", contract: "u.json#list" }), { interpret });
  expect(module?.code).toContain("https://u.example/users");
  expect(module?.code).not.toMatch(/openapi|components|u\.json/);
});
