import { error, suggestion } from "./code.ts";

/** 16x: files of contract tests. */
export const contractTests = {
  noConfig: error(
    "PW161",
    (config: string, isNamed: boolean) => ({
      message: `there is no configuration '${config}' for these tests`,
      hint: isNamed ? "the path is relative to this file" : "name it: config: FILE.yaml",
    }),
    {
      means:
        "A file `orders.test.yaml` tests the configuration `orders.yaml` beside it. Another name is written under `config`, relative to the file of the tests. The configuration must be one of those that the command was given.",
      wrong: "# edge-cases.test.yaml\ntests: []",
      right: "# edge-cases.test.yaml\nconfig: orders.yaml\ntests: []",
    },
  ),
  notACall: error(
    "PW162",
    (text: string) => ({
      message: `'${text}' is no call to answer`,
      hint: "write a method and an address: GET https://stock.test/items/:sku",
    }),
    {
      means:
        "The name of a stub is a method and a whole address. `:name` stands for one segment of the path, `*` for any text; a query counts only where it is written.",
      wrong: "stubs:\n  /items: { body: [] }",
      right: "stubs:\n  GET https://stock.test/items: { body: [] }",
    },
  ),
  usedTwice: error(
    "PW163",
    (name: string, line: number) => ({ message: `a test is called '${name}' already (line ${line})`, hint: "rename one" }),
    {
      means: "Reports and `--filter` tell tests apart by their names, so each name stands once in a file.",
      wrong: "tests:\n  - { name: it works, interface: a }\n  - { name: it works, interface: b }",
      right: "tests:\n  - { name: a works, interface: a }\n  - { name: b works, interface: b }",
    },
  ),
  badTime: error("PW164", (text: string) => ({ message: `'${text}' is no time`, hint: "write it in ISO 8601: 2026-01-31T12:00:00Z" }), {
    means: "The clock of a test stands still at a time that is written in ISO 8601.",
    wrong: "given: { clock: tomorrow }",
    right: "given: { clock: 2026-01-31T12:00:00Z }",
  }),
  unknownName: error(
    "PW165",
    (what: string, name: string, nearest?: string) => {
      const { words, instead } = suggestion(nearest);
      return { message: `the configuration has no ${what} '${name}'${words}`, instead };
    },
    {
      means:
        "The test names a database or an action that its configuration does not have, or an action in `callbacks` that waits for no callback.",
      wrong: "given: { databases: { ordres: memory } }",
      right: "given: { databases: { orders: memory } }",
    },
  ),
  missingParam: error(
    "PW166",
    (name: string, route: string, meant?: string) => ({
      message: `the route ${route} has a parameter '${name}', which the test does not give`,
      hint: meant === undefined ? `write given: { params: { ${name}: … } }, or the whole path` : `is '${meant}' meant for it?`,
      ...(meant === undefined ? {} : { instead: name }),
    }),
    {
      means:
        "A test sends its request to the route of its interface, so `given.params` has each parameter of the route. `given.path` replaces both.",
      wrong: "interface: orders/read # route: /orders/:id\nexpect: { status: 404 }",
      right: "interface: orders/read # route: /orders/:id\ngiven: { params: { id: 7 } }\nexpect: { status: 404 }",
    },
  ),
};
