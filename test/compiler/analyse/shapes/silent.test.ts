import { expect, test } from "vitest";
import { planTexts } from "../../../../compiler/pipeline.ts";

// A name that is right, or may be right, is no warning: each of these was one, or would be if a shape said too much.

const databases = ["postgres", "mysql", "sqlite", "mssql"]
  .map((driver) => `    ${driver}: { driver: ${driver}, conn_string: "a|env::URL|" }\n`)
  .join("");

/** The warnings that follow from shapes of an interface with these actions. */
function warnings(actions: string, head = "", modules: readonly string[] = []): readonly string[] {
  const config = (name: string, body: string): string =>
    `name: ${name}\nglobal:\n  databases:\n${databases}interfaces:\n  ${name}:\n    method: POST\n    route: /${name}\n${head}    actions:\n${body.replace(/^/gm, "      ")}\n`;
  const texts = [actions].flat().map((body, i) => ({ file: `c${i}.yaml`, text: config(`c${i}`, body) }));
  const { diagnostics } = planTexts(texts, { modules: modules.map((text, i) => ({ file: `modules/m${i}.yml`, text })) });
  expect(diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message)).toEqual([]);
  return diagnostics.filter(({ code }) => /^PW2(?:7[789]|80)$/.test(code)).map(({ code, message }) => `${code} ${message}`);
}

const literal = "- name: A\n  json_output: { id: 1, name: a|body::name| }\n";

test.each(["is_null: true", "is_equal_to: null", "is_not_null: false", "is_not_empty: false"])(
  "a test that wants nothing there may name what is never there: %s",
  (matcher) => {
    expect(warnings(`${literal}  assert: { tests: [{ value: password, ${matcher} }, { value: deep.er, ${matcher} }] }`)).toEqual([]);
    expect(
      warnings(`${literal}- name: B\n  run_on_assertion: { tests: [{ value: a|A::password|, ${matcher} }] }\n  json_output: 1`),
    ).toEqual([]);
  },
);

test("a test that wants something there may not", () => {
  const tested = (matcher: string): readonly string[] => warnings(`${literal}  assert: { tests: [{ value: nmae, ${matcher} }] }`);
  const wrong = ["PW277 'A' never has a member 'nmae' (did you mean 'name'?)"];
  expect(tested("is_not_null: true")).toEqual(wrong);
  expect(tested("is_not_empty: true")).toEqual(wrong);
  expect(tested("is_not_equal_to: 500")).toEqual(wrong);
  expect(tested("is_not_null: false, is_string: true")).toEqual(wrong);
});

/** Reads columns of a query, directly and behind transforms. */
const reads = (database: string, query: string, columns: readonly string[], transforms = ""): readonly string[] =>
  warnings(
    `- name: Q\n  database: ${database}\n  query: >-\n    ${query}\n${transforms}- name: R\n  json_output: [${columns.map((name) => `'a|Q::[0].${name}|'`).join(", ")}]`,
  );

test("SQLite and SQL Server call a column as the table does, and the others as the query does", () => {
  expect(reads("sqlite", "SELECT id, userId FROM t", ["ID", "id", "userid", "USERID"])).toEqual([]);
  expect(reads("mssql", "SELECT id FROM t", ["Id"])).toEqual([]);
  expect(reads("mysql", "SELECT table_name FROM information_schema.tables", ["TABLE_NAME"])).toEqual([]);
  expect(reads("sqlite", "SELECT id, rowid FROM t", ["key"])).toEqual([]);
  expect(reads("sqlite", "SELECT id AS id FROM t", ["ID"])).toHaveLength(1);
  expect(reads("sqlite", "SELECT id FROM t", ["idd"])).toHaveLength(1);
  expect(reads("mysql", "SELECT id FROM t", ["Id"])).toHaveLength(1);
  expect(reads("postgres", 'SELECT ID, "Name", Foo AS Bar FROM t', ["id", "Name", "bar"])).toEqual([]);
  expect(reads("postgres", "SELECT ID FROM t", ["ID"])).toHaveLength(1);
});

test("a transform may name such a column as the table does", () => {
  const behind = (transform: string, ...columns: readonly string[]): readonly string[] =>
    reads("sqlite", "SELECT id, title FROM t", columns, `  post_transforms: [{ ${transform} }]\n`);
  expect(behind("rename_keys: { ID: key }", "key", "title", "Title")).toEqual([]);
  expect(behind("rename_keys: { id: key }", "key", "ID")).toEqual([]);
  expect(behind("keep_attributes: [Id]", "Id")).toEqual([]);
  expect(behind("rename_keys: { id: key }", "kee")).toEqual(["PW277 'Q.0' never has a member 'kee' (did you mean 'key'?)"]);
  expect(behind("rename_keys: { idd: key }")).toEqual(["PW278 rename_keys names 'idd', which is never there (did you mean 'id'?)"]);
});

test("rows of other forms than those of a select list are open", () => {
  expect(reads("mssql", "SELECT id FROM t FOR JSON AUTO", ["JSON_F52E2B61-18A1-11d1-B105-00805F49916B"])).toEqual([]);
  expect(reads("mssql", "SELECT TOP 5 PERCENT WITH TIES id FROM t", ["id"])).toEqual([]);
  expect(reads("postgres", `SELECT 1 AS ${"long".repeat(20)}`, ["longlong"])).toEqual([]);
  expect(reads("postgres", "SELECT coalesce(a, b), now(), x::text, arr[1], 'a' FROM t", ["coalesce", "now", "text", "x", "arr"])).toEqual(
    [],
  );
  expect(reads("postgres", "WITH d AS (DELETE FROM t RETURNING *) SELECT * FROM d", ["id"])).toEqual([]);
  expect(reads("postgres", "(SELECT a FROM t) UNION (SELECT b FROM u)", ["a"])).toEqual([]);
});

test("a module is wrong only where it is wrong for all that use it, in whatever configuration", () => {
  const module = "type: Assert\nspec: { tests: [{ value: status, is_number: true }] }\n";
  const use = (name: string, data: string): string => `- name: ${name}\n  json_output: ${data}\n  assert: a|module::m0|\n`;
  const [right, wrong] = [use("A", "{ status: 1 }"), use("B", "{ state: 1 }")];
  expect(warnings(right + wrong, "", [module])).toEqual([]);
  expect(warnings([right, wrong] as never, "", [module])).toEqual([]);
  expect(warnings(wrong, "", [module])).toHaveLength(1);
});

test("a loop over what has no elements says nothing of its items", () => {
  expect(
    warnings(
      `${literal}- name: L\n  lookup: a|A|\n  actions: [{ name: I, json_output: { v: a|body| } }]\n- name: R\n  input: "a|L::[0].data.I.data.v|"`,
    ),
  ).toEqual([]);
});

test("a service or command that has failed leaves what it said", () => {
  const behind = (block: string, member: string): readonly string[] =>
    warnings(`- name: A\n  ${block}\n- name: B\n  run_when_failed: [A]\n  input: a|A::${member}|`);
  expect(behind("command: { run: x, parse: { data_type: text } }", "exit_code")).toEqual([]);
  expect(behind("command: { run: x, parse: { data_type: text } }", "exit_cod")).toHaveLength(1);
  expect(behind("http: { url: https://x.example.com/ }\n  post_transforms: [{ extract_value: body.id }]", "status")).toEqual([]);
});
