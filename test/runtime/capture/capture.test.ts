import { createHash } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Config } from "#runtime/run/interface.ts";
import { ask, compiled, listed, ownFolder, process, recorded } from "../../harness/captured.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { both, newStore, removeStore, store } from "./capture-store.ts";

// The record of a run (spec/language 7.8, spec/surfaces 16).

beforeEach(newStore);
afterEach(removeStore);

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
