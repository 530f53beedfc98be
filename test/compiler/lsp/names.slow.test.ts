import { afterAll, beforeAll, expect, test } from "vitest";
import type { CodeLens, DocumentSymbol, SemanticTokens, SymbolInformation, WorkspaceEdit } from "vscode-languageserver-protocol/node";
import { OpenProject, shop } from "./project.ts";

// Definitions, references, other names, outlines, lenses, colours and hovers, through the protocol.

const tests = `tests:
  - name: it answers
    interface: list
    expect: { actions: { First: succeeded } }
`;

let project: OpenProject;

beforeAll(async () => {
  project = await OpenProject.of({
    "shop.yaml": shop,
    "shop.test.yaml": tests,
    "vars/base.yaml": "LIMIT: 5\nGREETING: Hi\n",
    "vars/production.yaml": "GREETING: Good day\n",
    "modules/checks.yaml": "type: Assert\nspec:\n  tests:\n    - action_value: a|First::customer|\n      is_not_empty: true\n",
    "coverage/lcov.info": "TN:\nSF:shop.yaml\nDA:15,1\nDA:18,0\nDA:29,0\nend_of_record\n",
  });
});

afterAll(() => project[Symbol.asyncDispose]());

const edited = (from: string, to: string): string => {
  if (!shop.includes(from)) throw new Error(`no ${from}`);
  return shop.replace(from, to);
};

test("an action is found where it has its name, in its own list", async () => {
  const at = (from: string, to: string): Promise<readonly string[]> =>
    project.places("textDocument/definition", "shop.yaml", edited(from, to));
  expect(await at("a|First::customer.name", "a|Fi‸rst::customer.name")).toEqual(["shop.yaml:18:15"]);
  expect(await at("run_when_succeeded: [First]", "run_when_succeeded: [Fir‸st]")).toEqual(["shop.yaml:18:15"]);
  expect(await at("database: main", "database: ma‸in")).toEqual(["shop.yaml:4:5"]);
  expect(await at("a|var::GREETING|", "a|var::GREE‸TING|")).toEqual(["shop.yaml:6:5", "vars/base.yaml:2:1", "vars/production.yaml:1:1"]);
  expect(await project.places("textDocument/definition", "shop.test.yaml", tests.replace("interface: list", "interface: li‸st"))).toEqual([
    "shop.yaml:12:3",
  ]);
  const module = edited("        post_transforms:", "        assert: a|module::che‸cks|\n        post_transforms:");
  expect(await project.places("textDocument/definition", "shop.yaml", module)).toEqual(["modules/checks.yaml:1:1"]);
});

test("an interface that tells of the calls of a tool is found", async () => {
  const confirm = (cursor: string): string => `name: a
interfaces:
  ask:
    actions:
      - name: Answer
        agent: { model: { api: openai, name: m }, prompt: hi, tools: [{ interface: pay, confirm: { interface: no${cursor}tify } }] }
  pay: { actions: [] }
  notify: { actions: [] }
`;
  expect(await project.places("textDocument/definition", "confirm.yaml", confirm("‸"))).toEqual(["confirm.yaml:8:3"]);
});

test("references are those of the same list, in tests and modules, too", async () => {
  const text = edited("        post_transforms:", "        assert: a|module::checks|\n        post_transforms:").replace(
    "- name: First\n        run",
    "- name: Fi‸rst\n        run",
  );
  expect(await project.places("textDocument/references", "shop.yaml", text)).toEqual([
    "modules/checks.yaml:4:23",
    "shop.test.yaml:4:26",
    "shop.yaml:18:15",
    "shop.yaml:25:30",
    "shop.yaml:26:33",
  ]);
});

test("an action of a module gets another name where it is used", async () => {
  await using open = await OpenProject.of({ "modules/who.yaml": "type: Action\nspec:\n  name: Who\n  input: a|headers|\n" });
  const text = `name: One
interfaces:
  one:
    route: /one
    actions:
      - a|module::who|
      - name: Next
        run_when_succeeded: [Who]
        json_output: a|W‸ho::host|
`;
  expect(await open.places("textDocument/definition", "one.yaml", text)).toEqual(["modules/who.yaml:3:9"]);
  expect(await open.places("textDocument/references", "one.yaml", text)).toEqual([
    "modules/who.yaml:3:9",
    "one.yaml:8:30",
    "one.yaml:9:24",
  ]);
  expect(await open.labels("one.yaml", text.replace("W‸ho::host|", "W‸"))).toContain("Who");
});

test("an action gets another name with its markers, gates and tests", async () => {
  const place = await project.at("shop.yaml", shop.replace("- name: First\n        run", "- name: Fi‸rst\n        run"));
  const edit = await project.editor.ask<WorkspaceEdit>("textDocument/rename", { ...place, newName: "Start" });
  const changes = Object.entries(edit.changes ?? {}).map(([uri, list]) => [uri.split("/").at(-1), list.map(({ newText }) => newText)]);
  expect(Object.fromEntries(changes)).toEqual({ "shop.yaml": ["Start", "Start", "Start"], "shop.test.yaml": ["Start"] });
  await expect(project.editor.ask("textDocument/rename", { ...place, newName: "Items" })).rejects.toThrow(
    "there is already an action 'Items'",
  );
  await expect(project.editor.ask("textDocument/rename", { ...place, newName: "body" })).rejects.toThrow("'body' is a root of markers");
  await expect(project.editor.ask("textDocument/rename", { ...place, newName: "null" })).rejects.toThrow("no text in YAML");
  await expect(project.editor.ask("textDocument/rename", { ...place, newName: "a b" })).rejects.toThrow("cannot be read by a marker");
});

test("an action gets another name in keys and in filters of a loop", async () => {
  await using open = await OpenProject.of({});
  const text = `name: One
interfaces:
  one:
    route: /one
    actions:
      - { name: Us‸ers, json_output: [{ id: 1, Users: 2 }] }
      - { name: Keys, json_output: { "k a|Users|": 1 } }
      - name: Each
        lookup: a|Users|
        lookup_inherit_jq: { n: ".Users | length", m: ".Keys.Users" }
        actions: [{ name: One, input: a|body| }]
`;
  const place = await open.at("one.yaml", text);
  const edit = await open.editor.ask<WorkspaceEdit>("textDocument/rename", { ...place, newName: "People" });
  const lines = Object.values(edit.changes ?? {}).flatMap((list) =>
    list.map(({ range }) => `${range.start.line + 1}:${range.start.character + 1}`),
  );
  expect(lines.toSorted()).toEqual(["10:35", "6:17", "7:43", "9:19"]);
  await expect(open.editor.ask("textDocument/rename", { ...place, newName: "n".repeat(101) })).rejects.toThrow("at most 100 characters");
});

test("a template does not get the name of one that the same interface reads", async () => {
  await using open = await OpenProject.of({});
  const text = (cursor: string): string =>
    `name: One
global: { templates: { hello: Hi, bye: Bye } }
interfaces:
  one:
    route: /one
    templates: { own: Own }
    actions: [{ name: A, json_output: { a: a|template::hello|, b: a|template::own| } }]
  two:
    route: /two
    templates: { other: Own }
    actions: [{ name: A, json_output: { a: a|template::other| } }]
`.replace(`${cursor}:`, `${cursor.slice(0, 1)}‸${cursor.slice(1)}:`);
  const rename = async (from: string, newName: string): Promise<WorkspaceEdit> =>
    open.editor.ask<WorkspaceEdit>("textDocument/rename", { ...(await open.at("one.yaml", text(from))), newName });
  await expect(rename("own", "hello")).rejects.toThrow("there is already a template 'hello'");
  await expect(rename("hello", "own")).rejects.toThrow("there is already a template 'own'");
  await expect(rename("bye", "other")).rejects.toThrow("there is already a template 'other'");
  expect(Object.values((await rename("own", "other")).changes ?? {}).flat()).toHaveLength(2);
});

test("databases and variables get another name in contract tests, too", async () => {
  await using open = await OpenProject.of({
    "one.test.yaml":
      "tests:\n  - name: t\n    interface: one\n    given: { databases: { main: { rows: [] } }, var: { LIM: 7 } }\n    expect: { status: 200 }\n",
  });
  const text = (cursor: string): string =>
    `name: One
global: { databases: { main: { driver: sqlite, conn_string: "sqlite::memory:" } } }
interfaces:
  one:
    route: /one
    actions: [{ name: A, database: main, query: "SELECT a|var::LIM| AS n" }]
`.replace(cursor, `${cursor.slice(0, -1)}‸${cursor.slice(-1)}`);
  for (const cursor of ["databases: { main", "var::LIM"]) {
    const edit = await open.editor.ask<WorkspaceEdit>("textDocument/rename", {
      ...(await open.at("one.yaml", text(cursor))),
      newName: "other",
    });
    expect(
      Object.keys(edit.changes ?? {})
        .map((uri) => uri.split("/").at(-1))
        .toSorted(),
    ).toEqual(["one.test.yaml", "one.yaml"]);
  }
});

test("a variable gets another name in the files of all environments", async () => {
  const place = await project.at("shop.yaml", edited("a|var::GREETING|", "a|var::GREE‸TING|"));
  const edit = await project.editor.ask<WorkspaceEdit>("textDocument/rename", { ...place, newName: "WELCOME" });
  expect(Object.entries(edit.changes ?? {}).map(([uri, list]) => [uri.split("/").at(-1), list.length])).toEqual(
    expect.arrayContaining([
      ["shop.yaml", 2],
      ["base.yaml", 1],
      ["production.yaml", 1],
    ]),
  );
});

test("an outline, and names of all files", async () => {
  const { textDocument } = await project.at("shop.yaml", `${shop}‸`);
  const outline = await project.editor.ask<DocumentSymbol[]>("textDocument/documentSymbol", { textDocument });
  expect(outline.map(({ name }) => name)).toEqual(["main", "GREETING", "thanks", "token", "list", "other"]);
  expect(outline[4]).toMatchObject({ detail: "/items", children: [{ name: "Items" }, { name: "First" }, { name: "Answer" }] });
  const found = await project.editor.ask<SymbolInformation[]>("workspace/symbol", { query: "frst" });
  expect(found.map(({ name, containerName }) => [name, containerName])).toEqual([
    ["First", "list"],
    ["First", "other"],
  ]);
});

test("lenses say how an interface is reached, and count its tests and the lines that they come by", async () => {
  const { textDocument } = await project.at("shop.yaml", `${shop}‸`);
  const lenses = await project.editor.ask<CodeLens[]>("textDocument/codeLens", { textDocument });
  expect(lenses.map(({ range, command }) => [range.start.line + 1, command?.title])).toEqual([
    [12, "GET /items"],
    [12, "run"],
    [12, "1 test"],
    [12, "50 % covered"],
    [26, "GET /other/:id"],
    [26, "run"],
    [26, "0 % covered"],
  ]);
});

test("a key that is no name of an interface has no lens that runs it", async () => {
  const text = 'name: A\ninterfaces:\n  "\\u0003touch x\\n": { method: GET, actions: [] }\n  $(touch x): { method: GET, actions: [] }\n‸';
  const { textDocument } = await project.at("shop.yaml", text);
  const lenses = await project.editor.ask<CodeLens[]>("textDocument/codeLens", { textDocument });
  expect(lenses.map(({ command }) => command?.command)).toEqual(["", ""]);
});

test("the parts of markers have colours of their own", async () => {
  const text = 'name: A\ninterfaces:\n  a:\n    actions:\n      - name: B\n        input: a|params::id->default("x")|\n‸';
  const { textDocument } = await project.at("shop.yaml", text);
  const { data } = await project.editor.ask<SemanticTokens>("textDocument/semanticTokens/full", { textDocument });
  const kinds = data.flatMap((value, i) => (i % 5 === 3 ? [value] : []));
  const lengths = data.flatMap((value, i) => (i % 5 === 2 ? [value] : []));
  expect(data.slice(0, 2)).toEqual([5, 15]);
  expect([kinds, lengths]).toEqual([
    [0, 1, 4, 5, 6, 0],
    [2, 6, 2, 7, 5, 1],
  ]);
});

test("a pointer shows docs, the inferred shape of a marker, and the printed lines", async () => {
  expect(await project.shown("shop.yaml", edited("post_transforms:", "post_tra‸nsforms:"))).toContain(
    "How the data is reshaped, in order.",
  );
  expect(await project.shown("shop.yaml", edited("keep_attributes:", "keep_at‸tributes:"))).toMatch(/pw\.keep_attributes/);
  const whole = await project.shown("shop.yaml", edited("a|First::customer.name", "a|Fi‸rst::customer.name"));
  expect(whole).toContain("Data of the action.");
  expect(whole).toMatch(/customer: \{ name: "Ann"; age: 3/);
  expect(await project.shown("shop.yaml", edited("a|First::customer.name", "a|First::customer.na‸me"))).toContain('"Ann"');
  expect(await project.shown("shop.yaml", edited("->upper", "->up‸per"))).toContain("Upper case.");
});
