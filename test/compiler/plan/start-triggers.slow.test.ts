import { request } from "node:http";
import { describe, expect, test } from "vitest";
import type { Host } from "#runtime/process/host.ts";
import { background } from "#runtime/run/end/background.ts";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import { send } from "../../harness/sockets.ts";
import { type Started, starting } from "../../harness/starting.ts";

// Fields of triggers that are read when the process starts, in use: schedules, tools, sockets, the API document.

describe.each([
  ["printed", false],
  ["walked", true],
] as const)("%s", (_, interpret) => {
  const { started, serving, documented, unmet } = starting(interpret);

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
          signal.throwIfAborted();
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
});
