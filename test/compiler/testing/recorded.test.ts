import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { parse } from "yaml";
import { startConfigs } from "#runtime/start/fields.ts";
import { stateOf } from "#runtime/state/open.ts";
import type { StateStore } from "#runtime/state/store.ts";
import { HttpServer } from "#runtime/triggers/http-server.ts";
import { compiled, ownFolder, recorded } from "../../harness/captured.ts";
import { openedBy } from "../../harness/opened.ts";
import { type Sent, type Stub, send, stub } from "../../harness/sockets.ts";
import { stillHost } from "../../harness/still-host.ts";
import { run } from "../../harness/terminal.ts";

// A run that was served and recorded becomes a contract test, which passes and holds no secret.

const secret = "s3cr3t-of-the-shop";

const config = `name: shop
global:
  databases: { main: { driver: sqlite, conn_string: "sqlite::memory:" } }
interfaces:
  order:
    method: POST
    route: /orders/:sku
    capture: all
    actions:
      - name: Made
        database: main
        query: "CREATE TABLE IF NOT EXISTS orders (sku TEXT, count INT); INSERT INTO orders VALUES ('tea', 3)"
        multi: true
      - name: Stock
        http:
          url: a|env::STOCK_URL|/items/a|params::sku|?q=a%3Fb
          headers: { x-api-key: a|env::STOCK_KEY| }
        retry: { attempts: 2, delay: 1ms }
      - name: Login
        http:
          url: a|env::STOCK_URL|/login/a|ap_var::ENCRYPTED_KEY|/a|body::card_token|?token=a|env::STOCK_KEY|
      - name: Private
        hide_data_on_success: true
        http: { url: a|env::STOCK_URL|/private }
      - name: Rows
        run_when_succeeded: [Made]
        database: main
        query: SELECT sku, count, ? AS password FROM orders WHERE sku = ? AND ? IS NOT NULL
        params: [a|body::word|, a|params::sku|, a|body::card_token|]
      - name: Broken
        run_when_succeeded: [Made]
        database: main
        query: SELECT nothing FROM nowhere
      - name: Each
        lookup: a|body::items|
        actions: [{ name: One, http: { url: a|env::STOCK_URL|/one/a|body::id| } }]
    response:
      http_code_on_error: 207
`;

let folder: ReturnType<typeof ownFolder>;
let upstream: Stub;
beforeEach(async () => {
  folder = ownFolder();
  let asked = 0;
  upstream = await stub((response, message) => {
    const path = message.url ?? "";
    const json = (status: number, body: unknown) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
    if (path.startsWith("/items/")) json(asked++ === 0 ? 503 : 200, { left: 3, note: "é", access_token: secret });
    else if (path.startsWith("/private")) json(200, { card: "4111 1111" });
    else if (path.startsWith("/one/")) response.writeHead(200, { "content-type": "text/csv" }).end("a,b");
    else json(200, { said: `your key is ${secret}` });
  });
});
afterEach(async () => {
  await upstream.close();
  folder.remove();
});

/** Serves the configuration for one request, whose run is recorded. */
async function served(
  request: Sent & { readonly path: string },
  text = config,
  before?: (state: StateStore) => Promise<void>,
): Promise<void> {
  const env = { ...folder.env, STOCK_URL: upstream.url, STOCK_KEY: secret, PIPEWRIGHT_ALLOW_COMMANDS: "true" };
  const host = stillHost({ env, variables: { ENCRYPTED_KEY: secret } });
  await before?.(stateOf(host));
  const { configs } = startConfigs(host, [await compiled(text, undefined, "shop.yaml")]);
  const [first] = configs;
  if (first === undefined) throw new Error("no config");
  const { url, close } = await openedBy(HttpServer)(host, first);
  await send(url, request.path, request);
  await close();
  await host.close();
}

/** Exports the only record beside the configuration; gives the text and the folder. */
async function exported(text = config): Promise<{ readonly text: string; readonly cwd: string }> {
  const [record] = await recorded(folder.env);
  const cwd = join(folder.folder, "..", "project");
  mkdirSync(cwd);
  writeFileSync(join(cwd, "shop.yaml"), text);
  const { out, err, status } = await run(cwd, "runs", "export", record?.run_uuid ?? "", "--as", "test", "--dir", join(folder.folder, ".."));
  expect([status, err]).toEqual([0, ""]);
  return { text: out, cwd };
}

const request = {
  path: "/orders/tea",
  method: "POST",
  headers: { "content-type": "application/json", cookie: "session=c00kie-of-ada" },
  body: JSON.stringify({ items: [{ id: 1 }, { id: 2 }], card_token: "tok-of-ada", word: "pass of ada" }),
};

it("has the answers of services and databases as stubs, and no secret", async () => {
  await served(request);
  const { text } = await exported();
  for (const hidden of [secret, "c00kie-of-ada", "tok-of-ada", "4111 1111", Buffer.from(secret).toString("base64")])
    expect(text).not.toContain(hidden);
  expect(text).toContain(`GET ${upstream.url}/items/tea?q=a%3Fb:`);
  expect(text).toContain("- status: 503");
  expect(text).toContain("left: 3");
  expect(text).toContain('access_token: "***"');
  expect(text).toContain(`GET ${upstream.url}/login/*/*:`);
  expect(text).toContain("said: your key is ***");
  expect(text).toMatch(/- query: SELECT sku, count.*\n +rows:\n +- sku: tea\n +count: 3\n +password: "\*\*\*"/);
  expect(text).toContain("error: 'near \"nothing\": syntax error'");
  expect(text).toContain(`#   GET ${upstream.url}/private`);
  expect(text).toContain('STOCK_KEY: "***"');
  expect(text).toContain(`STOCK_URL: ${upstream.url}`);
});

it("passes when it is run, without any service", async () => {
  await served(request);
  const { text, cwd } = await exported();
  await upstream.close();
  writeFileSync(join(cwd, "shop.test.yaml"), text);
  const { status, out } = await run(cwd, "test", "shop.test.yaml");
  expect([status, out]).toEqual([0, expect.stringContaining("1 passed")]);
});

it("a record has a bound for calls, and says nothing of them where nothing is recorded", async () => {
  const items = Array.from({ length: 80 }, (_, id) => ({ id }));
  await served({ ...request, body: JSON.stringify({ items }) });
  const [record] = await recorded(folder.env);
  expect(record?.exchanges).toHaveLength(50);
});

const stateful = `name: shop
interfaces:
  order:
    method: POST
    route: /orders
    capture: all
    actions:
      - name: Before
        state: { get: { key: count } }
      - name: Count
        run_when_succeeded: [Before]
        state: { set: { key: count, value: a|Before::value|, expected_version: a|body::version| } }
      - name: After
        run_when_succeeded: [Count]
        state: { get: { key: count } }
      - name: Taken
        state: { set: { key: lock, value: 1, expected_version: 0 } }
      - name: Highest
        state: { advance: { key: other.highest, namespace: desk, value: 3 } }
      - name: Gone
        state: { delete: { key: old } }
      - name: Kept
        input: a|state::rules|
      - name: Twice
        state: { seen: { key: orders, id: a|body::id| } }
      - name: New
        input: a|body::items|
        only_new: { key: items, namespace: desk }
      - name: Hidden
        hide_data_on_success: true
        state: { get: { key: cards } }
      - name: Login
        command: { run: [printf, '{"user":"ada","password":"pw%s"}', "1"] }
      - name: Each
        lookup: a|body::items|
        lookup_concurrency: 2
        actions:
          - name: Told
            command: { run: 'echo "number $pipewright_1 a|body::id|"', parse: { data_type: text } }
      - name: Broken
        command: { run: [sh, "-c", "echo a|env::STOCK_KEY| >&2; exit 3", a|env::STOCK_KEY|] }
    response:
      http_code_on_error: 207
`;

const order = {
  path: "/orders",
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ version: 3, id: 7, items: [{ id: 1 }, { id: 2 }, { id: 3 }] }),
};

async function fill(state: StateStore): Promise<void> {
  const shop = (key: string) => ({ namespace: "shop", key });
  for (const value of [1, 2, { left: 3, api_key: "k1" }]) await state.set(shop("count"), value, {});
  for (const key of ["lock", "old", "cards"]) await state.set(shop(key), "4111 1111", {});
  await state.set(shop("rules"), "by weight", {});
  await state.set({ namespace: "desk", key: "other.highest" }, 9, {});
  await state.seen(shop("orders"), ["7"], { cap: 10 });
  await state.seen({ namespace: "desk", key: "items" }, ["1", "2", "3"], { cap: 10 });
}

it("has the state that the run found, and the outputs of its commands", async () => {
  await served(order, stateful, fill);
  const { text } = await exported(stateful);
  const [test] = parse(text).tests;
  expect(test.given).toMatchObject({
    state: { count: { left: 3, api_key: "***" }, lock: null, old: null, rules: "by weight", "desk.other.highest": 9 },
    versions: { count: 3 },
    seen: { orders: ["7"], "desk.items": ["1", "2", "3"] },
    commands: {
      'printf {"user":"ada","password":"pw%s"} 1': { stdout: { user: "ada", password: "***" } },
      'echo "number $pipewright_1 ${pipewright_1}"': [1, 2, 3].map((id) => ({ stdout: `number ${id} ${id}\n` })),
      "sh -c echo * >&2; exit 3 *": { stdout: "", stderr: "***\n", exit: 3 },
    },
  });
  for (const hidden of ["k1", "pw1", "4111 1111", secret]) expect(text).not.toContain(hidden);
  expect(text).toContain("\n#   state cards\n");
});

it("passes when it is run, without the state and the commands", async () => {
  await served(order, stateful, fill);
  const { text, cwd } = await exported(stateful);
  writeFileSync(join(cwd, "shop.test.yaml"), text);
  const { status, out } = await run(cwd, "test", "shop.test.yaml");
  expect([status, out]).toEqual([0, expect.stringContaining("1 passed")]);
  writeFileSync(join(cwd, "shop.test.yaml"), text.replace("count: 3", "count: 2"));
  expect(await run(cwd, "test", "shop.test.yaml")).toMatchObject({ status: 1, out: expect.stringContaining("state conflict on 'count'") });
});

it("names a command that did not end", async () => {
  await served(order, stateful.replace(/run: \[printf.*\]/, "run: sleep 60, timeout: 20ms"), fill);
  const { text } = await exported(stateful);
  expect(text).toContain("\n#   sleep 60\n");
});

const bodies = `name: shop
interfaces:
  order:
    method: POST
    route: /orders
    capture: all
    actions:
      - { name: Body, input: a|body| }
      - { name: Same, run_when_succeeded: [Body], input: a|body|, assert: { tests: [{ value: ASSERTED }] } }
  early:
    method: POST
    route: /early
    respond: early
    capture: all
    actions: [{ name: Fails, input: a|body|, assert: { tests: [{ value: n, is_equal_to: 2 }] } }]
`;

it.each([
  ["application/x-www-form-urlencoded", "a=1&b=x+y&b=%26", "'a|body::b[1]|', is_equal_to: '&'"],
  ["application/json", '"a text"', "'a|body|', is_equal_to: a text"],
  ["application/x-ndjson", '{"n":1}\n{"n":2}\n', "'a|body::[1].n|', is_equal_to: 2"],
])("sends a body as its type says: %s", async (type, body, asserted) => {
  const text = bodies.replace("value: ASSERTED", `value: ${asserted}`);
  await served({ path: "/orders", method: "POST", headers: { "content-type": type }, body }, text);
  const made = await exported(text);
  writeFileSync(join(made.cwd, "shop.test.yaml"), made.text);
  expect((await recorded(folder.env))[0]?.status).toBe(200);
  const { status, out } = await run(made.cwd, "test", "shop.test.yaml");
  expect([status, out]).toEqual([0, expect.stringContaining("1 passed")]);
});

it("expects what the caller of respond: early was told", async () => {
  const text = bodies.replace(/, assert: .*ASSERTED.*/, " }");
  await served({ path: "/early", method: "POST", headers: { "content-type": "application/json" }, body: '{"n":1}' }, text);
  const made = await exported(text);
  expect(parse(made.text).tests[0].expect).toEqual({ status: 202, actions: { Fails: "failed" } });
  writeFileSync(join(made.cwd, "shop.test.yaml"), made.text);
  const { status, out } = await run(made.cwd, "test", "shop.test.yaml");
  expect([status, out]).toEqual([0, expect.stringContaining("1 passed")]);
});
