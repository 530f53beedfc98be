import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openHistory } from "#runtime/capture/open.ts";
import { ownFolder, placeOf } from "../../harness/captured.ts";
import { run } from "../../harness/terminal.ts";

// pipewright runs (spec/command-line 1, spec/surfaces 16), and what pipewright run leaves for it.

let folder: ReturnType<typeof ownFolder>;
let cwd: string;
beforeAll(async () => {
  folder = ownFolder();
  cwd = join(folder.folder, "..");
  mkdirSync(join(cwd, "api"));
  writeFileSync(join(cwd, "api", "shop.yaml"), config);
  // A process has the folder in which it was started, here that of the tests.
  writeFileSync(join(cwd, "env"), `PIPEWRIGHT_CAPTURE_DIR=${folder.folder}\n`);
  for (const n of [1, 2, "three\u202e\u001b[31m"]) {
    const ended = await run(
      cwd,
      "run",
      "order",
      "api",
      "--body",
      JSON.stringify({ n, password: "of the caller" }),
      "--param",
      "page=2",
      "--dotenv",
      join(cwd, "env"),
    );
    expect([ended.err.split("\n").filter((line) => line.includes('"warn"')), ended.status]).toEqual([[], n === 1 ? 0 : 1]);
  }
});
afterAll(() => folder.remove());

const config = `
name: shop
interfaces:
  order:
    output: cli
    capture: all
    actions:
      - name: Body
        input: a|body|
        assert: { tests: [{ value: n, is_equal_to: 1 }], http_code_on_error: 422 }
      - name: Shaped
        run_when_succeeded: [Body]
        input: a|Body|
        post_transforms: [{ keep_attributes: [n] }]
`;

const uuid = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/;
const still = (text: string): string =>
  text
    .replace(new RegExp(uuid, "g"), "<uuid>")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replace(/(?<=<time> +\d+ +)\d+/g, "0")
    .replace(/\d+ ms/g, "0 ms");

describe("list", () => {
  test("is a table for people", async () => {
    const { out, err, status } = await run(cwd, "runs", "list");
    expect([status, err]).toEqual([0, ""]);
    expect(out.split("\n").map((line) => still(line).replace(/ +/g, " "))).toEqual([
      "STARTED STATUS MS TRIGGER CONFIG INTERFACE RUN",
      "<time> 422 0 cli shop order <uuid>",
      "<time> 422 0 cli shop order <uuid>",
      "<time> 200 0 cli shop order <uuid>",
      "",
    ]);
  });

  test("says where it goes on", async () => {
    const first = await run(cwd, "runs", "list", "--limit", "2");
    const [, cursor = ""] = /^more with --cursor (\w+)\n$/.exec(first.err) ?? [];
    const second = await run(cwd, "runs", "list", "--limit", "2", "--cursor", cursor);
    expect(second.out.split("\n")).toHaveLength(3);
    expect(second.err).toBe("");
  });

  test("is one JSON document for programs", async () => {
    const { out } = await run(cwd, "runs", "list", "--status", "2xx", "--interface", "order", "--since", "1h", "--json");
    expect(JSON.parse(out)).toEqual({
      runs: [expect.objectContaining({ config: "shop", interface: "order", trigger: "cli", status: 200, parent: null })],
      next: null,
    });
  });

  test("of an environment without runs, or of a folder without any, is empty; nothing is made", async () => {
    const head = "STARTED  STATUS  MS  TRIGGER  CONFIG  INTERFACE  RUN\n";
    const where = (environment: string, store: string): string =>
      `no such runs of the environment ${environment} in ${store}; --env, --dir and --dotenv choose others\n`;
    expect(await run(cwd, "runs", "list", "--env", "staging")).toEqual({ status: 0, out: head, err: where("staging", ".pipewright") });
    expect(await run(cwd, "runs", "list", "--dir", "api")).toEqual({ status: 0, out: head, err: where("production", "api/.pipewright") });
    expect((await run(cwd, "runs", "list", "--env", "staging", "--json")).err).toBe(where("staging", ".pipewright"));
    expect((await run(cwd, "runs", "list")).err).toBe("");
    expect(readdirSync(join(cwd, "api"))).toEqual(["shop.yaml"]);
    expect(readdirSync(folder.folder)).toEqual(["runs-local-production.ndjson"]);
  });

  test.each([
    [["--status", "20"], "--status must be a status such as 404, or a class of them such as 4xx"],
    [["--limit", "many"], "--limit must be a number from 1 to 500"],
    [["--until", "now"], "--until must be a time such as 2026-07-01T12:00:00Z, or how long ago it was, such as 1h"],
    [["--dir", "nowhere"], "no folder nowhere"],
    [["--dotenv", "nowhere"], "nowhere cannot be read"],
  ])("%j is wrong usage", async (flags, problem) => {
    const { status, err } = await run(cwd, "runs", "list", ...flags);
    expect([status, err]).toEqual([3, expect.stringContaining(problem)]);
  });

  test("a store that does not answer is an unmet need", async () => {
    writeFileSync(join(cwd, ".env"), "PIPEWRIGHT_DATABASE_URL=postgres://svc:canary-pass@127.0.0.1:1/db\n");
    const { status, err } = await run(cwd, "runs", "list", "--dotenv", ".env");
    expect([status, err]).toEqual([78, expect.stringMatching(/^pipewright: the store of runs does not answer: /)]);
    expect(err).not.toContain("canary-pass");
  });
});

test("a database in place of files", async () => {
  const file = join(cwd, "runs.db");
  writeFileSync(join(cwd, ".env"), `PIPEWRIGHT_DATABASE_URL=sqlite:${file}\n`);
  const head = "STARTED  STATUS  MS  TRIGGER  CONFIG  INTERFACE  RUN\n";
  const { out: empty, err } = await run(cwd, "runs", "list", "--dotenv", ".env");
  expect([empty, err]).toEqual([head, `no such runs of the environment production in ${file}; --env, --dir and --dotenv choose others\n`]);
  expect(readdirSync(cwd)).not.toContain("runs.db");
  await run(cwd, "run", "order", "api", "--body", '{"n":1}', "--dotenv", join(cwd, ".env"));
  const { out } = await run(cwd, "runs", "list", "--dotenv", ".env", "--json");
  expect(JSON.parse(out).runs).toHaveLength(1);
});

describe("show", () => {
  const newest = async (): Promise<string> => JSON.parse((await run(cwd, "runs", "list", "--json")).out).runs[0].run_uuid;

  test("is for people, and nothing in it moves their terminal", async () => {
    const { out, status } = await run(cwd, "runs", "show", await newest());
    expect(status).toBe(0);
    expect(still(out)).toBe(`run        <uuid>
interface  order of shop
trigger    cli
started    <time>, took 0 ms
status     422

request
  params  {
            "page": "2"
          }
  headers  {}
  body  {
          "n": "three\\u202e\\u001b[31m",
          "password": "***"
        }

Body: failed, 0 ms, api/shop.yaml:8:15
  error  n::is_equal_to: expected target three\\u202e\\u001b[31m not equal to 1
  data  {
          "n": "three\\u202e\\u001b[31m",
          "password": "***"
        }

Shaped: failed, 0 ms, api/shop.yaml:11:15
  error  action 'Body' did not succeed
  data  null
`);
  });

  test("is the record for programs", async () => {
    const id = await newest();
    const { out } = await run(cwd, "runs", "show", id, "--json");
    const history = openHistory(placeOf(folder.env));
    expect(JSON.parse(out)).toEqual(await history.find(id));
    await history.close();
  });

  test("of a run that is not kept fails", async () => {
    const { status, err } = await run(cwd, "runs", "show", "no\u001bsuch");
    expect([status, err]).toEqual([1, "pipewright: no run no\\u001bsuch is kept\n"]);
    // Quotes and backslashes stand as they are, so that a result which is JSON can be copied.
    expect((await run(cwd, "runs", "show", '{"a":"\\"\n"}')).err).toBe('pipewright: no run {"a":"\\"\\n"} is kept\n');
  });
});

test.each([["list"], ["show"]])("runs %s --help has examples", async (command) => {
  const { out, status } = await run(cwd, "runs", command, "--help");
  expect(status).toBe(0);
  expect(out).toMatch(new RegExp(`Examples?:\\n  pipewright runs ${command} `));
});

test("an empty list names the folder that was looked at", async () => {
  const absolute = join(cwd, "elsewhere");
  writeFileSync(join(cwd, "other"), `PIPEWRIGHT_CAPTURE_DIR=${absolute}\n`);
  const { err } = await run(cwd, "runs", "list", "--dir", "api", "--dotenv", join(cwd, "other"));
  expect(err).toContain(` ${absolute}`);
  expect(err).not.toContain("api/");
});
