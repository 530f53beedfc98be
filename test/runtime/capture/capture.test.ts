import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { longestText } from "#runtime/capture/bounded.ts";
import type { Config } from "#runtime/run/interface.ts";
import { ask, compiled, listed, ownFolder, process, recorded } from "../../harness/captured.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { stub } from "../../harness/sockets.ts";

// The record of a run (spec/language 7.8, spec/surfaces 16): what it holds, and what it must not hold.

let store: ReturnType<typeof ownFolder>;
beforeEach(() => {
  store = ownFolder();
});
afterEach(() => store.remove());

const both = [
  ["printed", false],
  ["walked", true],
] as const;

const shop = `
name: shop
on_error: { interface: alarm }
interfaces:
  order:
    method: POST
    route: /orders/:id
    capture: all
    response: { http_code_fallback_strategy: any_action }
    params: { id: { validate: { regex: "^[0-9]+$" } } }
    actions:
      - name: Body
        input: a|body|
        assert: { tests: [{ value: n, is_not_null: true, http_code_on_error: 400 }] }
      - name: Shaped
        run_when_succeeded: [Body]
        input: a|Body|
        post_transforms: [{ rename_keys: { n: number } }]
      - name: Chosen
        run_when_succeeded: [Body]
        conditional_input: [a|body::none|, a|body|]
        post_transforms: [{ keep_attributes: [n] }]
      - name: Each
        run_when_succeeded: [Body]
        lookup: a|body::list|
        actions: [{ name: Item, input: a|body| }]
      - name: Never
        run_when_failed: [Shaped]
        json_output: 1
  judged:
    output: cli
    capture: errors
    actions: [{ name: Said, json_output: { n: 1 } }]
    assert: { tests: [{ value: n, is_equal_to: 2 }], http_code_on_error: 409 }
  silent:
    output: cli
    actions: [{ name: Said, json_output: 1 }]
  alarm:
    output: none
    capture: all
    actions: [{ name: Told, json_output: a|body::interface| }]
`;

const order = {
  trigger: "http",
  method: "POST",
  params: { id: "7" },
  headers: { "content-type": "application/json", "x-tenant": "blue", authorization: "Bearer of-the-caller" },
  body: { n: 3, list: [1, 2], password: "of the caller" },
};

describe.each(both)("a record, %s", (_, interpret) => {
  let config: Config;
  beforeEach(async () => {
    config = await compiled(shop, { interpret });
  });

  test("says what was asked, and of each action how it ended and with what", async () => {
    await process({ env: store.env }, async (host) => {
      expect(await ask(host, config, "order", order)).toBe(200);
    });
    expect(await recorded(store.env)).toEqual([
      {
        run_uuid: "00000000-0000-4000-8000-000000000001",
        parent: null,
        config: "shop",
        interface: "order",
        trigger: "http",
        started: "1970-01-01T00:00:00.000Z",
        ms: 0,
        status: 200,
        request: {
          method: "POST",
          route: "/orders/:id",
          params: { id: "7" },
          headers: { "content-type": "application/json", "x-tenant": "***", authorization: "***" },
          body: { n: 3, list: [1, 2], password: "***" },
        },
        actions: [
          { name: "Body", status: "succeeded", ms: 0, data: { n: 3, list: [1, 2], password: "***" } },
          {
            name: "Shaped",
            status: "succeeded",
            ms: 0,
            input: { n: 3, list: [1, 2], password: "***" },
            data: { number: 3, list: [1, 2], password: "***" },
          },
          { name: "Chosen", status: "succeeded", ms: 0, input: { n: 3, list: [1, 2], password: "***" }, data: { n: 3 } },
          {
            name: "Each",
            status: "succeeded",
            ms: 0,
            data: [{ data: { Item: { data: 1, "time.ms": 0 } } }, { data: { Item: { data: 2, "time.ms": 0 } } }],
          },
          { name: "Never", status: "skipped", ms: 0 },
        ],
      },
    ]);
  });

  test("of a failure says what failed, also when no action did, and its handler names it as its parent", async () => {
    await process({ env: store.env }, async (host) => {
      expect(await ask(host, config, "order", { ...order, body: {} })).toBe(400);
      expect(await ask(host, config, "order", { ...order, params: { id: "x" } })).toBe(400);
      expect(await ask(host, config, "judged")).toBe(409);
      expect(await ask(host, config, "silent")).toBe(200);
    });
    const runs = (await recorded(store.env)).reverse();
    const of = (name: string) => runs.filter((run) => run.interface === name);
    expect(
      of("order").map(({ status, errors, actions }) => ({ status, errors, failed: actions.flatMap(({ errors }) => errors ?? []) })),
    ).toEqual([
      { status: 400, errors: undefined, failed: ["n::is_not_null: expected to not be null"] },
      { status: 400, errors: ["id::regex: expected target x not matching ^[0-9]+$"], failed: [] },
    ]);
    expect(of("judged").map(({ status, errors }) => ({ status, errors }))).toEqual([
      { status: 409, errors: [expect.stringContaining("n::is_equal_to")] },
    ]);
    expect(of("silent")).toEqual([]);
    expect(of("alarm").map(({ parent, trigger }) => ({ parent, trigger }))).toEqual(
      [...of("order"), ...of("judged")].map(({ run_uuid }) => ({ parent: run_uuid, trigger: "on_error" })),
    );
  });
});

test("both paths record the same", async () => {
  const kept = [];
  for (const [, interpret] of both) {
    const own = ownFolder();
    const config = await compiled(shop, { interpret });
    await process({ env: own.env }, async (host) => {
      await ask(host, config, "order", order);
      await ask(host, config, "order", { ...order, body: [] });
      await ask(host, config, "judged");
    });
    kept.push(await recorded(own.env));
    own.remove();
  }
  expect(kept[0]).toHaveLength(5);
  expect(kept[1]).toEqual(kept[0]);
});

describe("data that an action hides", () => {
  const hidden = (option: string): string => `
name: hidden
interfaces:
  t:
    output: cli
    capture: all
    actions:
      - name: A
        ${option}: true
        input: a|body|
        post_transforms: [{ keep_attributes: [n] }]
      - name: B
        ${option}: true
        input: a|body|
        assert: { tests: [{ value: never, is_not_null: true }] }
`;

  test.each([
    [
      "hide_action",
      [
        ["name", "status", "ms"],
        ["name", "status", "ms", "at", "errors"],
      ],
    ],
    [
      "hide_data_on_success",
      [
        ["name", "status", "ms"],
        ["name", "status", "ms", "at", "data", "errors"],
      ],
    ],
    [
      "hide_data_on_error",
      [
        ["name", "status", "ms", "data"],
        ["name", "status", "ms", "at", "errors"],
      ],
    ],
    [
      "hide_errors",
      [
        ["name", "status", "ms", "input", "data"],
        ["name", "status", "ms", "at", "data", "errors"],
      ],
    ],
  ])("%s", async (option, keys) => {
    const config = await compiled(hidden(option));
    await process({ env: store.env }, async (host) => void (await ask(host, config, "t", { body: { n: 1, m: 2 } })));
    const [run] = await recorded(store.env);
    expect(run?.actions.map((action) => Object.keys(action))).toEqual(keys);
  });
});

test("a failed test of what nobody should read does not quote it", async () => {
  const made = await compiled(`
name: quotes
interfaces:
  t:
    output: cli
    capture: errors
    params: { api_token: { validate: { regex: "^x+$" } } }
    actions:
      - name: A
        input: a|body|
        assert: { tests: [{ value: login.password, regex: "^x+$" }, { value: a|body::login.password|, is_equal_to: x }, { value: name, is_equal_to: x }] }
`);
  const body = { login: { password: "hunter2" }, name: "Ada" };
  await process({ env: store.env }, async (host) => {
    await ask(host, made, "t", { body, params: { api_token: "hunter2" } });
    await ask(host, made, "t", { body, params: { api_token: "x" } });
  });
  const [second, first] = await recorded(store.env);
  expect(first?.errors).toEqual(["api_token::regex: ***"]);
  expect(second?.actions[0]?.errors).toEqual([
    "login.password::regex: ***",
    "a|body::login.password|::is_equal_to: ***",
    expect.stringContaining("Ada"),
  ]);
  expect(JSON.stringify([first, second])).not.toContain("hunter2");
});

describe("secrets (threat T9)", () => {
  const canary = 'canary/5f2 "é"+x';
  const upstream = "canary-of-upstream-88c1";
  const config = `
name: canaries
global:
  secrets:
    own: { kind: local, data: a|env::CANARY| }
interfaces:
  t:
    method: POST
    capture: all
    show_error_detail: true
    actions:
      - { name: Knows, json_output: { sent: "a|secret::own|", n: 1 }, post_transforms: [{ keep_attributes: [n] }] }
      - { name: Asks, http: { url: "a|env::UPSTREAM|/", headers: { x-a: "a|secret::own->url_encode|" } } }
      - { name: Fails, http: { url: "http://127.0.0.1:1/a|secret::own|" } }
      - { name: Compared, json_output: x, assert: { tests: [{ value: a|secret::own|, is_equal_to: a|body::text| }] } }
      - { name: Echo, input: a|body|, post_transforms: [{ add_attribute: { more: a|body::text| } }] }
`;

  test.each(both)(
    "in bodies, headers, answers of upstreams and errors are never stored, however they are written (%s)",
    async (_, interpret) => {
      const forms = {
        text: `x ${canary} y`,
        url: encodeURIComponent(canary),
        base64: Buffer.from(`user:${canary}`).toString("base64"),
        hex: Buffer.from(canary).toString("hex"),
        json: JSON.stringify({ canary }),
        [canary]: 1,
        // Across the place where a text is cut.
        long: "y".repeat(longestText - 5) + canary,
        shrinking: canary.repeat(1000),
      };
      const service = await stub((response) =>
        response
          .writeHead(200, { "content-type": "application/json", "x-leak": encodeURIComponent(canary) })
          .end(JSON.stringify({ ...forms, list: [{ access_token: upstream }, { cookie: upstream }], nested: { Authorization: upstream } })),
      );
      const made = await compiled(config, { interpret });
      await process({ env: { ...store.env, CANARY: canary, UPSTREAM: service.url } }, async (host) => {
        const headers = { "x-own": canary, "user-agent": forms.base64, accept: forms.url, "x-api-key": upstream, cookie: `a=${upstream}` };
        await ask(host, made, "t", { trigger: "http", method: "POST", headers, params: { q: forms.url, api_key: upstream }, body: forms });
      });
      await service.close();
      const [run] = await recorded(store.env);
      expect(run?.actions.map(({ status }) => status)).toEqual(["succeeded", "succeeded", "failed", "failed", "succeeded"]);
      const files = readdirSync(store.folder).map((name) => readFileSync(join(store.folder, name), "utf8"));
      expect(files.join("")).toContain("***");
      for (const [name, form] of Object.entries({ ...forms, canary, upstream })) {
        if (name === "long" || name === "shrinking" || typeof form !== "string") continue;
        expect(files.filter((text) => text.includes(form) || text.includes(JSON.stringify(form).slice(1, -1))).length, name).toBe(0);
      }
      // Not half of it, either: what the cut of a text has left, and what it looks like in Base64.
      for (const part of [canary.slice(0, 9), Buffer.from(canary).toString("base64").slice(0, 16)])
        expect(files.filter((text) => text.includes(JSON.stringify(part).slice(1, -1))).length, part).toBe(0);
    },
  );
});

test("an interface without capture prints the same code, whatever others of its configuration say", async () => {
  const text = (capture: string): string => `
name: t
interfaces:
  plain: { method: GET, actions: [{ name: A, input: a|body|, post_transforms: [{ keep_attributes: [n] }] }] }
  other: { method: GET, ${capture}actions: [{ name: A, input: a|body|, post_transforms: [{ keep_attributes: [n] }] }] }
`;
  const code = async (capture: string): Promise<string> => (await printOne(planned(text(capture)))).code;
  const plain = (printed: string): string | undefined => /export const plain.*?\n};\n/s.exec(printed)?.[0];
  const [without, off, all] = [await code(""), await code("capture: off, "), await code("capture: all, ")];
  expect(off).toBe(without);
  expect(without).not.toContain("capture");
  expect(plain(all)).toBe(plain(without));
  expect(all).toContain("act.takes(cx.body)");
});

test("the ids of runs are not what orders them", async () => {
  const config = await compiled(shop);
  await process({ env: store.env }, async (host) => {
    for (const text of ["b", "a", "b"]) await ask(host, config, "order", { ...order, id: createHash("md5").update(text).digest("hex") });
  });
  const { runs } = await listed(store.env);
  expect(runs.map(({ run_uuid }) => run_uuid)).toEqual(["b", "a", "b"].map((text) => createHash("md5").update(text).digest("hex")));
});
