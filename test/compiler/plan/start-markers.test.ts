import { describe, expect, test } from "vitest";
import { background } from "#runtime/run/end/background.ts";
import { conclude } from "#runtime/run/execution.ts";
import { LiveRun } from "#runtime/run/live-run.ts";
import { startConfigs } from "#runtime/start/fields.ts";
import type { Json } from "#runtime/value/json.ts";
import { ask, listed, ownFolder, process as processOf } from "../../harness/captured.ts";
import { emptyRequest } from "../../harness/run-once.ts";
import { type Got, send } from "../../harness/sockets.ts";
import { run, starting } from "../../harness/starting.ts";

// Fields that are read when the process starts, in use: what the environment says is what a process does.

describe.each([
  ["printed", false],
  ["walked", true],
] as const)("%s", (_, interpret) => {
  const { compiled, started, serving, unmet } = starting(interpret);

  describe("capture", () => {
    const text = `name: shop
interfaces:
  word: { capture: "a|env::CAPTURE|", actions: [{ name: A, json_output: 1 }] }
  record: { capture: { mode: "a|env::MODE->default(off)|", for_runs: "a|var::RUNS|" }, actions: [{ name: A, json_output: 1 }] }
`;

    test.each([
      ["all", { CAPTURE: "all" }, {}, 3, 0],
      ["none where nothing is set", {}, {}, 0, 0],
      ["errors alone", { CAPTURE: "errors", MODE: "errors" }, {}, 0, 0],
      ["so many runs", { MODE: "all" }, { RUNS: "2" }, 0, 2],
      ["without a bound that is unset", { MODE: "all" }, {}, 0, 3],
    ] as const)("records %s", async (_case, env, variables, word, record) => {
      const own = ownFolder();
      const config = await compiled(text);
      try {
        await processOf({ env: { ...env, ...own.env }, variables }, async (host) => {
          const { configs, problems } = startConfigs(host, [config]);
          expect(problems).toEqual([]);
          for (const each of configs) {
            for (const target of each.interfaces) target.capture?.start(host, each, target);
            for (const name of ["word", "word", "word", "record", "record", "record"]) await ask(host, each, name);
          }
        });
        const { runs } = await listed(own.env);
        const count = (name: string): number => runs.filter((each) => each.interface === name).length;
        expect([count("word"), count("record")]).toEqual([word, record]);
      } finally {
        own.remove();
      }
    });

    test("is one of its words", async () => {
      expect(await unmet(text, { env: { CAPTURE: "some", MODE: "1" }, variables: { RUNS: "many" } })).toEqual([
        "config.yaml:3: 'word.capture': expected one of off, errors, all, got 'some'",
        "config.yaml:4: 'record.capture.mode': expected one of off, errors, all, got '1'",
        "config.yaml:4: 'record.capture.for_runs': expected integer, got 'many'",
      ]);
    });
  });

  test("items of a list that do not fit are all named", async () => {
    const text =
      'name: t\nnetwork: { ip: { deny: "a|env::DENY|" } }\ninterfaces: { a: { method: GET, actions: [{ name: A, json_output: 1 }] } }\n';
    expect(await unmet(text, { env: { DENY: "10.0.0.0/99,10.0.0.0/8,x" } })).toEqual([
      "config.yaml:2: 'network.ip.deny[0]': '10.0.0.0/99' is no address and no range; 'network.ip.deny[2]': 'x' is no address and no range",
    ]);
  });

  test("expose_metrics counts only where the environment says so", async () => {
    const text =
      'name: counted\nexpose_metrics: "a|env::METRICS|"\ninterfaces: { a: { method: GET, actions: [{ name: A, json_output: 1 }] } }\n';
    const bind = { address: "127.0.0.1", port: 0, chosen: true };
    const on = await serving(text, { env: { METRICS: "true" } }, { metricsBind: bind });
    await send(on.url, "/a");
    const line = on.log.find((each) => each.startsWith("info metrics "))?.slice("info metrics ".length) ?? "{}";
    const { text: page } = await send((JSON.parse(line) as { url: string }).url, "/metrics");
    expect(page).toContain('pipewright_interface_requests_total{config="counted",interface="a"');
    for (const env of [{}, { METRICS: "false" }]) {
      const off = await serving(text, { env }, { metricsBind: bind });
      expect((await send(off.url, "/a")).status).toBe(200);
      expect(off.log.filter((each) => each.includes("metrics"))).toEqual([]);
    }
    expect(await unmet(text, { env: { METRICS: "TRUE" } })).toEqual(["config.yaml:2: 'expose_metrics': expected boolean, got 'TRUE'"]);
  });

  test("on_error.max_per_minute bounds the handler", async () => {
    const text = `name: watched
on_error: { interface: alarm, max_per_minute: "a|var::ALARMS|" }
interfaces:
  alarm: { output: none, log: { msg: alarm }, actions: [{ name: A, json_output: 1 }] }
  shop: { method: GET, actions: [{ name: A, json_output: 1 }] }
`;
    const alarms = async (variables: Readonly<Record<string, Json>>): Promise<number> => {
      const one = await started(text, { variables });
      expect(one.problems).toEqual([]);
      const shop = one.config.interfaces.find(({ name }) => name === "shop");
      if (shop === undefined) throw new Error("no interface shop");
      for (let n = 0; n < 14; n++) conclude(new LiveRun(one.host, one.config, shop, { ...emptyRequest }), 500);
      await background(one.host).ended();
      return one.log.filter((line) => line === "info alarm").length;
    };
    expect([await alarms({ ALARMS: "2" }), await alarms({ ALARMS: 3 }), await alarms({})]).toEqual([2, 3, 12]);
    expect(await unmet(text, { variables: { ALARMS: "2.5" } })).toEqual([
      "config.yaml:2: 'on_error.max_per_minute': expected integer, got '2.5'",
    ]);
  });

  test("what keeps a process from starting shows no value of a secret", async () => {
    const text = `
name: t
interfaces:
  a:
    method: GET
    actions: [{ name: A, input: a|body|, retry: { attempts: a|env::DB_PASSWORD| } }]
`;
    expect(await unmet(text, { env: { DB_PASSWORD: "hunter2hunter2" } })).toEqual([
      "config.yaml:6: 'a.A.retry.attempts': expected integer, got '***'",
    ]);
  });

  test("log.level, also by its other word and by default", async () => {
    const text = 'name: logs\ninterfaces: { a: { log: { msg: done, level: "a|var::LEVEL|" }, actions: [{ name: A, json_output: 1 }] } }\n';
    const level = async (variables: Readonly<Record<string, Json>>): Promise<readonly string[]> => {
      const one = await started(text, { variables });
      expect(await ask(one.host, one.config, "a")).toBe(200);
      return one.log;
    };
    expect(await level({ LEVEL: "warning" })).toEqual(["warn done"]);
    expect(await level({ LEVEL: "error" })).toEqual(["error done"]);
    expect(await level({})).toEqual(["info done"]);
    expect(await unmet(text, { variables: { LEVEL: "loud" } })).toEqual([
      expect.stringMatching(/^config\.yaml:2: '[^']+level': expected one of .*, got 'loud'$/),
    ]);
  });

  test("lookup_concurrency, in a loop of a loop too", async () => {
    const text = `name: loops
interfaces:
  a:
    method: POST
    actions:
      - name: Outer
        lookup: a|body|
        lookup_concurrency: "a|var::OUTER|"
        actions:
          - name: Inner
            lookup: a|body|
            lookup_concurrency: "a|var::INNER|"
            actions: [{ name: Wait, delay: 1s }]
`;
    const most = async (variables: Readonly<Record<string, Json>>): Promise<number> => {
      let [now, highest] = [0, 0];
      const one = await started(text, { variables }, (host) => ({
        ...host,
        sleep: async () => {
          now += 1;
          highest = Math.max(highest, now);
          await new Promise((resolve) => setImmediate(resolve));
          now -= 1;
        },
      }));
      expect(one.problems).toEqual([]);
      await run(one, "a", [
        [1, 2, 3],
        [1, 2, 3],
        [1, 2, 3],
      ]);
      return highest;
    };
    expect(await most({ OUTER: "1", INNER: 2 })).toBe(2);
    expect(await most({ OUTER: 3, INNER: "1" })).toBe(3);
    expect(await most({ OUTER: "2", INNER: "3" })).toBe(6);
    expect(await unmet(text, { variables: { OUTER: 0, INNER: "x" } })).toEqual([
      expect.stringMatching(/^config\.yaml:8: '.*lookup_concurrency': 0 is outside 1\.\.\d*$/),
      expect.stringMatching(/^config\.yaml:12: '.*lookup_concurrency': expected integer, got 'x'$/),
    ]);
  });

  describe("a text", () => {
    const text = `name: gates
network: { source: client, ip: { allow: "a|var::ALLOWED|" } }
interfaces:
  a: { method: GET, actions: [{ name: A, json_output: 1 }] }
  b: { method: GET, show_error_detail: "a|var::DETAIL|", response: { http_code_on_error: "a|var::CODE|" }, actions: [{ name: A, assert: { tests: [{ value: a|params::x|, is_not_null: true }] } }] }
`;
    const from = (url: string, address: string, path = "/a"): Promise<Got> => send(url, path, { headers: { "x-forwarded-for": address } });

    test("fills a list by its commas, without blanks and empty pieces", async () => {
      const { url } = await serving(text, { variables: { ALLOWED: " 10.0.0.0/8 ,, ,192.0.2.7,\t" } });
      const statuses = await Promise.all(["10.9.9.9", "192.0.2.7", "192.0.2.8"].map((address) => from(url, address)));
      expect(statuses.map(({ status }) => status)).toEqual([200, 200, 403]);
    });

    test.each([[" , ,, "], [""], [[]]])("of nothing but commas lets nobody in: %j", async (value) => {
      const { url } = await serving(text, { variables: { ALLOWED: value } });
      expect((await from(url, "127.0.0.1")).status).toBe(403);
    });

    test("is no list where it is unset: nothing starts", async () => {
      expect(await unmet(text)).toEqual(["config.yaml:2: 'network.ip.allow' is unset: set what it reads, or write a ->default(…)"]);
    });

    test("names the item that is wrong, once for all interfaces, with all else", async () => {
      expect(await unmet(text, { variables: { ALLOWED: "10.0.0.0/8, office", DETAIL: "no", CODE: "4o4" } })).toEqual([
        "config.yaml:2: 'network.ip.allow[1]': 'office' is no address and no range",
        "config.yaml:5: 'b.show_error_detail': expected boolean, got 'no'",
        "config.yaml:5: 'b.response.http_code_on_error': expected integer, got '4o4'",
      ]);
    });

    test.each([
      ["418", "true"],
      [418, true],
    ])("is a number or a switch like one: %j and %j", async (CODE, DETAIL) => {
      const { url } = await serving(text, { variables: { ALLOWED: ["127.0.0.1"], CODE, DETAIL } });
      expect((await from(url, "127.0.0.1", "/b")).status).toBe(418);
    });
  });
});
