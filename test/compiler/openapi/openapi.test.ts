import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import { openApi } from "../../../compiler/openapi/index.ts";
import { planTexts } from "../../../compiler/pipeline.ts";
import { packNames, packTexts } from "../../packs/packs.ts";
import { config, document, operation, pick } from "./documented.ts";

// The API document of configurations (spec/surfaces 6.1 and 7).

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
