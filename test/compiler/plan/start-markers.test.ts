import { request } from "node:http";
import { describe, expect, test } from "vitest";
import type { Host } from "#runtime/process/host.ts";
import { background } from "#runtime/run/end/background.ts";
import { conclude } from "#runtime/run/execution.ts";
import { LiveRun } from "#runtime/run/live-run.ts";
import { startConfigs } from "#runtime/start/fields.ts";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import { ask, listed, ownFolder, process as processOf } from "../../harness/captured.ts";
import { emptyRequest } from "../../harness/run-once.ts";
import { type Got, send } from "../../harness/sockets.ts";
import { run, type Started, starting } from "../../harness/starting.ts";

// Fields that are read when the process starts, in use: what the environment says is what a process does.

describe.each([
  ["printed", false],
  ["walked", true],
] as const)("%s", (_, interpret) => {
  const { compiled, started, serving, documented, unmet } = starting(interpret);

  describe("schedule", () => {
    const text = `name: jobs
interfaces:
  job:
    output: none
    log: { msg: "a|params::scheduled_at|" }
    schedule: { cron: "a|var::CRON->default('0 3 * * *')|", enabled: "a|env::ON->default(false)|", timezone: "a|var::ZONE|", max_attempts: "a|var::TRIES|" }
    actions: [{ name: A, json_output: 1 }]
`;
    const midnight = Date.parse("2026-03-01T00:00:00Z");

    /** Lets a day pass at once; gives what was logged. */
    async function day({ host, config }: Started): Promise<readonly string[]> {
      const log: string[] = [];
      let now = midnight;
      let over = (): void => undefined;
      const ended = new Promise<void>((resolve) => {
        over = resolve;
      });
      const clocked: Host = {
        ...host,
        now: () => now,
        monotonic: () => now,
        sleep: async (ms, signal) => {
          if (now + ms >= midnight + 86_400_000) {
            over();
            await new Promise((_resolve, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
          }
          now += ms;
        },
        log: (level, msg) => void log.push(`${level} ${msg}`),
      };
      const scheduler = config.schedules?.(clocked, config);
      scheduler?.start();
      if (config.interfaces.some(({ schedule }) => schedule !== undefined)) await ended;
      await background(clocked).ended();
      scheduler?.stop();
      return log;
    }

    test("runs by the line, in the zone and as often as the environment says", async () => {
      const one = await started(text, { env: { ON: "true" }, variables: { CRON: "30 4 * * *", ZONE: "Europe/Berlin", TRIES: "2" } });
      expect(one.problems).toEqual([]);
      expect(one.config.interfaces[0]?.schedule).toEqual({ cron: "30 4 * * *", timezone: "Europe/Berlin", max_attempts: 2 });
      expect(await day(one)).toEqual(["info 2026-03-01T03:30:00.000Z"]);
    });

    test("has its defaults where nothing is set, and is off then", async () => {
      const one = await started(text);
      expect(one.problems).toEqual([]);
      expect(one.config.interfaces[0]?.schedule).toBeUndefined();
      expect(await day(one)).toEqual([]);
      const on = await started(text, { env: { ON: "true" } });
      expect(on.config.interfaces[0]?.schedule).toEqual({ cron: "0 3 * * *" });
    });

    test("tells all that is wrong with it at its lines", async () => {
      const needs = await unmet(text, { env: { ON: "yes" }, variables: { CRON: "0 3 * * * *", ZONE: "Europe/Nowhere", TRIES: "0" } });
      expect(needs).toEqual([
        "config.yaml:6: 'job.schedule.cron': '0 3 * * * *' is no schedule: it has 6 fields; a schedule has 5: minute hour day month weekday",
        "config.yaml:6: 'job.schedule.enabled': expected boolean, got 'yes'",
        "config.yaml:6: 'job.schedule.timezone': 'Europe/Nowhere' is no time zone",
        "config.yaml:6: 'job.schedule.max_attempts': 0 is outside 1..100",
      ]);
    });
  });

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

  describe("MCP", () => {
    const text = `name: desk
mcp_servers:
  front: { title: "a|var::TITLE|", instructions: "a|env::HOW|", default: "a|env::FRONT->default(true)|" }
  ops: { default: "a|env::OPS|" }
interfaces:
  open: { mcp: { enabled: "a|env::TOOLS|" }, actions: [{ name: A, json_output: 1 }] }
  always: { mcp: { enabled: true }, actions: [{ name: A, json_output: 1 }] }
`;
    const rpc = async (url: string, method: string, params: object = {}, path = "/mcp"): Promise<JsonObject> => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
      const { text: answer } = await send(url, path, { method: "POST", headers: { "content-type": "application/json" }, body });
      return (JSON.parse(answer) as { result: JsonObject }).result;
    };
    const toolsAt = async (url: string): Promise<readonly Json[]> => {
      const { tools } = await rpc(url, "tools/list");
      return (tools as { name: string }[]).map(({ name }) => name);
    };
    const greeting = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } };

    test("offers a tool, a title and instructions by the environment", async () => {
      const { url } = await serving(text, { env: { TOOLS: "true", HOW: "Look first." }, variables: { TITLE: "Service desk" } });
      expect(await toolsAt(url)).toEqual(["always", "open"]);
      expect(await rpc(url, "initialize", greeting)).toMatchObject({
        serverInfo: { name: "front", title: "Service desk" },
        instructions: "Look first.",
      });
    });

    test("leaves out what is unset or off, and has the default server of the environment", async () => {
      for (const env of [{}, { TOOLS: "false" }]) {
        const { url } = await serving(text, { env: { FRONT: "false", OPS: "true", ...env } });
        expect(await toolsAt(url)).toEqual(["always"]);
        const { serverInfo, instructions } = await rpc(url, "initialize", greeting);
        expect(serverInfo).toMatchObject({ name: "ops" });
        expect([(serverInfo as JsonObject).title, instructions]).toEqual([undefined, undefined]);
        expect(await rpc(url, "initialize", greeting, "/mcp/front")).not.toHaveProperty("instructions");
      }
    });

    test("refuses two default servers, and switches that are none", async () => {
      expect(await unmet(text, { env: { OPS: "true" } })).toEqual(["config.yaml:4: MCP servers 'front' and 'ops' are both the default"]);
      expect(await unmet(text.replace('"a|env::FRONT->default(true)|"', "true"), { env: { OPS: "true" } })).toHaveLength(1);
      expect(await unmet(text, { env: { OPS: "1", TOOLS: "on" } })).toEqual([
        "config.yaml:4: 'mcp_servers.ops.default': expected boolean, got '1'",
        "config.yaml:6: 'open.mcp.enabled': expected boolean, got 'on'",
      ]);
    });
  });

  test("public opens a socket to everybody only where the environment says so", async () => {
    const text = `name: chat
interfaces:
  room: { ws: "on", public: "a|env::OPEN|", actions: [{ name: A, json_output: 1 }] }
`;
    const statusAt = (url: string): Promise<number | undefined> =>
      new Promise((resolve, reject) => {
        const headers = {
          ...{ connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" },
          "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
        };
        const asked = request(new URL("/ws/acme/production/room", url), { headers });
        asked.on("upgrade", ({ statusCode }, socket) => {
          socket.destroy();
          resolve(statusCode);
        });
        asked.on("response", (response) => {
          response.resume();
          resolve(response.statusCode);
        });
        asked.on("error", reject);
        asked.end();
      });
    const at = async (env: Readonly<Record<string, string>>) => statusAt((await serving(text, { env }, { organisation: "acme" })).url);
    expect(await at({ OPEN: "true" })).toBe(101);
    expect(await at({ OPEN: "false" })).toBe(401);
    expect(await at({})).toBe(401);
    expect(await unmet(text, { env: { OPEN: "0" } })).toEqual(["config.yaml:3: 'room.public': expected boolean, got '0'"]);
  });

  test("docs leave a configuration out that is off, with its name and its words", async () => {
    const config = (name: string, docs: string) => `name: ${name}
docs: ${docs}
description: "Words of ${name}."
interfaces: { ${name}/read: { method: GET, tags: [${name}, all], actions: [{ name: A, json_output: 1 }] } }
`;
    const texts = [config("first", '"a|env::FIRST|"'), config("second", '"a|env::SECOND->default(true)|"'), config("third", "true")];
    const infoOf = async (env: Readonly<Record<string, string>>): Promise<readonly Json[]> => {
      const { url } = await documented(texts, { env });
      const { info, paths, tags } = JSON.parse((await send(url, "/docs.json")).text) as Record<string, JsonObject>;
      expect((await send(url, "/documentation")).status).toBe(200);
      return [info?.description ?? null, Object.keys(paths ?? {}), Object.values(tags ?? {})];
    };
    const tag = (name: string) => ({ name, description: `Words of ${name}.` });
    const all = { name: "all", description: "The interfaces with the tag all." };
    expect(await infoOf({ FIRST: "true" })).toEqual([
      "The interfaces of first, second, third.\n\n**first**: Words of first.\n\n**second**: Words of second.\n\n**third**: Words of third.",
      ["/first/read", "/second/read", "/third/read"],
      [all, tag("first"), tag("second"), tag("third")],
    ]);
    expect(await infoOf({})).toEqual([
      "The interfaces of second, third.\n\n**second**: Words of second.\n\n**third**: Words of third.",
      ["/second/read", "/third/read"],
      [all, tag("second"), tag("third")],
    ]);
    expect(await infoOf({ SECOND: "false" })).toEqual(["Words of third.", ["/third/read"], [all, tag("third")]]);
    const { url } = await documented(texts.slice(0, 1), {});
    expect((await send(url, "/docs.json")).status).toBe(404);
    expect(await unmet(texts[0] ?? "", { env: { FIRST: "1" } })).toEqual(["config.yaml:2: 'docs': expected boolean, got '1'"]);
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
