import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import { type Stub, send, stub } from "../harness/sockets.ts";
import { packFolder, packTexts } from "./packs.ts";
import { type Service, serving, ways } from "./played/serving.ts";

// The pack that finds the containers behind a service, as its README says; the engine of containers is one of the test.

const pack = "container-service-discovery";

const container = (name: string, image: string) => ({
  Names: [`/${name}`],
  Image: image,
  State: "running",
  Labels: { "com.docker.compose.service": "api" },
  NetworkSettings: { Networks: { default: { IPAddress: "172.19.0.4" } } },
});

describe.skipIf(packFolder(pack) === undefined).each(ways)(`${pack}, %s`, (way) => {
  let engine: Stub;
  let member: Stub;
  let service: Service;
  beforeAll(async () => {
    engine = await stub((response) =>
      response.end(JSON.stringify([container("p-api-canary-1", "example/api:2"), container("p-api-1", "example/api:1.4.0")])),
    );
    member = await stub((response) => response.writeHead(200, { "content-type": "application/json" }).end('{"status":"ok"}'));
    // The socket of this machine, if there is one, is none of our business.
    const texts = packTexts(pack).map(({ file, text }) => ({
      file,
      text: text.replace("docker:\n", `docker:\n            socket: ${engine.url}\n`),
    }));
    const port = new URL(member.url).port;
    const variables = { SERVICE_NAME: "localhost", SERVICE_PORT: port, MEMBERS: "10.0.0.2:80, , 10.0.0.1" };
    service = await serving(texts, way, { variables, env: { CONTAINER_IP: "::1" } });
  });
  afterAll(async () => {
    await service?.close();
    await engine?.close();
    await member?.close();
  });

  const data = async (path: string, action: string): Promise<Json> => {
    const { text } = await send(service.url, path);
    const { data: envelope } = JSON.parse(text) as { data: Record<string, JsonObject> };
    return envelope[action]?.data ?? null;
  };

  test("peers by name, without this one", async () => {
    const { port } = new URL(member.url);
    const peer = { name: "127.0.0.1", address: "127.0.0.1", port: Number(port), url: member.url, source: "dns" };
    expect(await data("/containers/peers", "Peers")).toEqual([peer]);
  });

  test("containers by their label, none of the canaries", async () => {
    const port = Number(new URL(member.url).port);
    const labels = { "com.docker.compose.service": "api" };
    const found = {
      name: "p-api-1",
      address: "172.19.0.4",
      port,
      url: `http://172.19.0.4:${port}`,
      source: "docker",
      image: "example/api:1.4.0",
      labels,
    };
    expect(await data("/containers/list?service=api", "Containers")).toEqual([found]);
    expect(engine.seen.map(({ path }) => decodeURIComponent(path))).toEqual([
      '/containers/json?filters={"label":["com.docker.compose.service=api"],"status":["running"]}',
    ]);
  });

  test("a list in the same shape; empty entries drop out", async () => {
    const port = Number(new URL(member.url).port);
    expect(await data("/containers/static", "Members")).toEqual([
      { name: "10.0.0.1", address: "10.0.0.1", port, url: `http://10.0.0.1:${port}`, source: "static" },
      { name: "10.0.0.2", address: "10.0.0.2", port: 80, url: "http://10.0.0.2:80", source: "static" },
    ]);
  });

  test("the health of each", async () => {
    expect(await data("/containers/health", "CheckAll")).toMatchObject({
      succeeded: [{ data: { Health: { data: { status: "ok" } } } }],
      failed: [],
    });
    expect(member.seen.map(({ path }) => path)).toEqual(["/livez"]);
  });
});
