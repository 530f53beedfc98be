import { createHmac } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Json } from "#runtime/value/json.ts";
import { server } from "../harness/peers/postgres-server.ts";
import { send } from "../harness/sockets.ts";
import { tokenPart } from "../runtime/keys/token-text.ts";
import { packFolder } from "./packs.ts";
import { type Service, serving, type World, ways } from "./played/serving.ts";
import { jwtSecret, postgresWorld } from "./played/worlds.ts";

// The pack with tools over a table, as its README walks through it.

const pack = "mcp-quickstart";

const signed = `${tokenPart({ alg: "HS256", typ: "JWT" })}.${tokenPart({ sub: "me", exp: 9_999_999_999 })}`;
const token = `${signed}.${createHmac("sha256", jwtSecret).update(signed).digest("base64url")}`;

describe.skipIf(packFolder(pack) === undefined || server === undefined).each(ways)(`${pack}, %s`, (way) => {
  let world: World;
  let service: Service;
  beforeAll(async () => {
    world = await postgresWorld(server ?? "", pack);
    service = await serving(world.texts, way, { variables: { ...world.variables, MCP_SECRET: jwtSecret } });
  });
  afterAll(async () => {
    await service?.close();
    await world?.close();
  });

  const post = async (path: string, body: object, headers: Record<string, string> = {}): Promise<{ status: number; body: Json }> => {
    const { status, text } = await send(service.url, path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
    return { status, body: JSON.parse(text) };
  };
  const bearer = { authorization: `Bearer ${token}` };
  const rpc = (method: string, params?: object): object => ({ jsonrpc: "2.0", id: 1, method, ...(params === undefined ? {} : { params }) });
  const call = (name: string, args: object): object => rpc("tools/call", { name, arguments: args });

  test("the table is made", async () => {
    expect(await post("/api/seed", {})).toMatchObject({ status: 200, body: { data: { SeedSummary: { data: { tasks: 3 } } } } });
  });

  test("who the server is", async () => {
    const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } };
    const { body } = await post("/mcp", rpc("initialize", hello));
    expect(body).toMatchObject({
      result: { serverInfo: { name: "tasks", title: "Tasks" }, instructions: expect.stringContaining("backed by Postgres") },
    });
  });

  test("no token, no tools", async () => {
    expect((await post("/mcp", rpc("tools/list"))).body).toMatchObject({ result: { tools: [] } });
    expect((await post("/mcp", rpc("tools/list"), { authorization: `Bearer ${signed}.AAAA` })).body).toMatchObject({
      result: { tools: [] },
    });
  });

  test("with the token both tools, with what their tests say", async () => {
    const { body } = await post("/mcp", rpc("tools/list"), bearer);
    expect(body).toMatchObject({
      result: {
        tools: [
          {
            name: "create_task",
            description: 'Create a new task. Requires a title; status defaults to "open".',
            inputSchema: {
              type: "object",
              required: ["title"],
              properties: {
                title: { type: "string", minLength: 1, description: "The task title." },
                status: { description: 'Optional status — "open" (default) or "done".' },
              },
            },
          },
          { name: "list_tasks", inputSchema: { type: "object", properties: { status: {} } } },
        ],
      },
    });
    expect(JSON.stringify(body)).not.toContain("airpipe-jwt");
  });

  test("a call does what the route does", async () => {
    const { body } = await post("/mcp", call("create_task", { title: "Draft the changelog" }), bearer);
    const made = { data: { CreateTask: { data: { id: 4, title: "Draft the changelog", status: "open" } } } };
    expect(body).toMatchObject({ result: { isError: false, structuredContent: made } });
    const listed = await post("/api/tasks", { status: "open" }, { "airpipe-jwt": token });
    expect(listed).toMatchObject({
      status: 200,
      body: { data: { ListTasks: { data: expect.arrayContaining([expect.objectContaining({ id: 4 })]) } } },
    });
    expect(await world.look("SELECT count(*)::int AS n FROM tasks")).toEqual([{ n: 4 }]);
  });

  test("what a route refuses is an error of the tool", async () => {
    const refused = async (args: object, headers?: Record<string, string>): Promise<Json> =>
      (await post("/mcp", call("create_task", args), headers)).body;
    expect(await refused({ title: "x" })).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringContaining("Invalid or missing token") }] },
    });
    expect(await refused({}, bearer)).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringContaining("title is required") }] },
    });
    expect(await world.look("SELECT count(*)::int AS n FROM tasks")).toEqual([{ n: 4 }]);
  });

  test("no secret is in the log", () => {
    const log = service.log.join("\n");
    expect(log).not.toMatch(/^critical/m);
    expect(log).not.toContain(jwtSecret);
    expect(log).not.toContain(token);
  });
});
