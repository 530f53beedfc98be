import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { createServer as createSecure } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { byName } from "#runtime/features/actions/discover/dns.ts";
import { pods } from "#runtime/features/actions/discover/kubernetes.ts";
import { type DiscoverArgs, discover } from "#runtime/features/actions/discover.ts";
import { type Names, systemNames } from "#runtime/outgoing/names.ts";
import { createHost } from "#runtime/process/host.ts";
import { LiveRun } from "#runtime/run/live-run.ts";
import { bareRequest } from "#runtime/run/request.ts";
import type { Act } from "#runtime/run/run.ts";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import { certificate, privateKey } from "../../harness/certificate.ts";
import { act, configOf, served } from "../../harness/sockets.ts";

// The backends of `discover` (spec/surfaces 13), each against a service that answers as the real one does.

const servers: Server[] = [];
const folders: string[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function ownFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "discover-"));
  folders.push(folder);
  return folder;
}

type Answer = (message: IncomingMessage) => { readonly status?: number; readonly body: Json | string };

async function serving(answer: Answer, at: string | number = 0, secure = false): Promise<{ port: number; asked: string[] }> {
  const asked: string[] = [];
  const handle = (message: IncomingMessage, response: { writeHead: (status: number) => void; end: (body: string) => void }): void => {
    asked.push(`${message.url}`);
    const { status = 200, body } = answer(message);
    response.writeHead(status);
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  };
  const server = secure ? createSecure({ cert: certificate, key: privateKey }, handle) : createServer(handle);
  servers.push(server);
  await new Promise<void>((resolve) => (typeof at === "string" ? server.listen(at, resolve) : server.listen(at, "127.0.0.1", resolve)));
  return { port: typeof at === "string" ? 0 : (server.address() as AddressInfo).port, asked };
}

const found = async (args: DiscoverArgs): Promise<Json> => {
  const { data, error } = await act((one) => discover(one, args));
  return error ?? data;
};

const container = (name: string, more: object = {}) => ({
  Names: [`/${name}`],
  Image: `r/${name}:1`,
  State: "running",
  Labels: { app: "api", zone: "a" },
  Ports: [{ PrivatePort: 8080, Type: "tcp" }],
  NetworkSettings: { Networks: { front: { IPAddress: "10.1.0.2" }, back: { IPAddress: "10.2.0.2" } } },
  ...more,
});

const containers: Json = [
  container("two", { Ports: [] }),
  container("one"),
  container("many", {
    Ports: [
      { PrivatePort: 1, Type: "tcp" },
      { PrivatePort: 2, Type: "tcp" },
      { PrivatePort: 3, Type: "udp" },
    ],
  }),
  container("other", { Labels: { app: "web" } }),
  container("stopped", { State: "exited" }),
  container("alone", { NetworkSettings: { Networks: { host: { IPAddress: "" } } } }),
  "no container",
] as Json;

test("containers of an engine, by its Unix socket and by its URL", async () => {
  const socket = join(ownFolder(), "engine.sock");
  const local = await serving(() => ({ body: containers }), socket);
  const remote = await serving(() => ({ body: containers }));
  const labels = { app: "api", zone: "a" };
  const member = (name: string, address: string, port: number) => ({
    ...{ name, address, port, url: `http://${address}:${port}`, source: "docker", image: `r/${name}:1`, labels },
  });
  const expected = (address: string): Json => [member("many", address, 80), member("one", address, 8080), member("two", address, 80)];
  expect(await found({ docker: { socket, labels }, port: 80 })).toEqual(expected("10.1.0.2"));
  expect(await found({ docker: { socket: `unix://${socket}`, labels, network: "back" }, port: "80" })).toEqual(expected("10.2.0.2"));
  expect(await found({ docker: { socket: `tcp://127.0.0.1:${remote.port}/v1.43`, labels, network: "back" }, port: 80 })).toEqual(
    expected("10.2.0.2"),
  );
  const filters = (url = ""): Json => JSON.parse(new URL(url, "http://x").searchParams.get("filters") ?? "null");
  expect(filters(local.asked[0])).toEqual({ label: ["app=api", "zone=a"], status: ["running"] });
  expect(remote.asked[0]).toMatch(/^\/v1\.43\/containers\/json\?/);
  expect(await found({ docker: { socket, labels, network: "nobody" } })).toEqual([]);
});

test.each([
  [{ status: 500, body: "x" }, "discover: the container engine answered 500"],
  [{ body: "no JSON" }, "discover: the answer of the container engine is no JSON"],
  [{ body: { message: "x" } }, "discover: the container engine gave no list"],
] as const)("an engine that answers %j", async (answer, error) => {
  const { port } = await serving(() => answer);
  expect(await found({ docker: { socket: `http://127.0.0.1:${port}` } })).toBe(error);
});

test("a time for which answers are kept is no less than none", async () => {
  expect(await found({ static: "a:1", cache_ttl_secs: -1 })).toBe("field cache_ttl_secs: expected at least 0, got -1");
});

test("an engine that is not there, or no address of one", async () => {
  const socket = join(ownFolder(), "none.sock");
  expect(await found({ docker: { socket } })).toBe(`discover: the container engine cannot be reached at ${socket} (ENOENT)`);
  expect(await found({ docker: { socket: "ftp://x" } })).toBe("discover: socket is the path of a Unix socket, or an http or https URL");
});

const pod = (name: string, more: { spec?: object; status?: object; metadata?: object } = {}) => ({
  metadata: { name, namespace: "shop", labels: { app: "api" }, ...more.metadata },
  spec: {
    nodeName: "n1",
    containers: [
      {
        image: "r/api:1",
        ports: [
          { name: "http", containerPort: 8080 },
          { name: "admin", containerPort: 9000 },
        ],
      },
    ],
    ...more.spec,
  },
  status: { podIP: "10.0.0.7", conditions: [{ type: "Ready", status: "True" }], ...more.status },
});

/** A service account that trusts the server of the test. */
function account(token = "canary-token"): string {
  const folder = ownFolder();
  for (const [file, text] of Object.entries({ token: `${token}\n`, "ca.crt": certificate, namespace: "shop\n" }))
    writeFileSync(join(folder, file), text);
  return folder;
}

const cluster = (port: number, folder: string) => ({
  env: (name: string) => ({ KUBERNETES_SERVICE_HOST: "127.0.0.1", KUBERNETES_SERVICE_PORT: String(port) })[name],
  signal: AbortSignal.timeout(5_000),
  account: folder,
});

test("pods of a cluster, page by page, those that are ready", async () => {
  const seen: (string | undefined)[] = [];
  const { port, asked } = await serving(
    ({ url = "", headers }) => {
      seen.push(headers.authorization);
      const isSecond = url.includes("continue=more");
      const ending = pod("ending", { metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } });
      const starting = pod("starting", { status: { conditions: [{ type: "Ready", status: "False" }] } });
      const first = [pod("b"), ending, starting, pod("nowhere", { status: { podIP: undefined } })];
      return {
        body: isSecond
          ? { items: [pod("a", { spec: { containers: [{ image: "r/x", ports: [{ containerPort: 1 }] }] } })] }
          : { items: first, metadata: { continue: "more" } },
      };
    },
    0,
    true,
  );
  const folder = account();
  const given = { label_selector: "app=api", field_selector: "spec.nodeName=n1", port_name: "http" };
  const common = { address: "10.0.0.7", ready: true, namespace: "shop", node: "n1", labels: { app: "api" } };
  expect(await pods(given, cluster(port, folder))).toEqual([
    { name: "b", port: 8080, image: "r/api:1", ...common },
    { name: "a", image: "r/x", ...common },
  ]);
  expect(asked).toEqual([
    "/api/v1/namespaces/shop/pods?labelSelector=app%3Dapi&fieldSelector=spec.nodeName%3Dn1&limit=500",
    "/api/v1/namespaces/shop/pods?labelSelector=app%3Dapi&fieldSelector=spec.nodeName%3Dn1&limit=500&continue=more",
  ]);
  expect(new Set(seen)).toEqual(new Set(["Bearer canary-token"]));
  const all = await pods({ ready_only: false, namespace: "other team" }, cluster(port, folder));
  expect(all.map(({ name, port: own, ready }) => [name, own, ready])).toEqual([
    ["b", undefined, true],
    ["ending", undefined, false],
    ["starting", undefined, false],
    ["a", 1, true],
  ]);
  expect(asked[2]).toBe("/api/v1/namespaces/other%20team/pods?limit=500");
});

test.each([".", ".."])("the namespace %j would be the pods of all namespaces, or of none", async (namespace) => {
  const { port, asked } = await serving(() => ({ body: { items: [pod("a")] } }), 0, true);
  await expect(pods({ namespace }, cluster(port, account()))).rejects.toThrow(`discover: '${namespace}' is no namespace`);
  expect(asked).toEqual([]);
});

test("an API that puts more pods on its pages than were asked for, without end", async () => {
  const items = Array.from({ length: 30_000 }, () => 0);
  const { port, asked } = await serving(() => ({ body: { items: items.map(() => ({})), metadata: { continue: "more" } } }), 0, true);
  await expect(pods({}, cluster(port, account()))).rejects.toThrow("discover: there are more than 50000 pods; use a selector");
  expect(asked).toHaveLength(2);
});

test("what a cluster refuses, and what is no pod of one", async () => {
  const { port } = await serving(() => ({ status: 403, body: { message: "pods is forbidden" } }), 0, true);
  await expect(pods({}, cluster(port, account()))).rejects.toThrow("discover: the service account may not list pods of 'shop'");
  await expect(pods({}, cluster(port, "/nowhere"))).rejects.toThrow("discover: the service account of this pod cannot be read");
  expect(await found({ kubernetes: {} })).toBe("discover: KUBERNETES_SERVICE_HOST is not set: this is no pod of a cluster");
});

test("every address of a name", async () => {
  const local = await byName({ name: "localhost:81" }, 80, systemNames());
  expect(local.map(({ address, port }) => [address, port])).toContainEqual(["127.0.0.1", 81]);
  const unknown = Object.assign(new Error("queryA ENOTFOUND"), { code: "ENOTFOUND" });
  const known: Record<string, readonly string[]> = {
    api: ["10.0.0.2", "10.0.0.1", "10.0.0.2", "::1"],
    one: ["10.0.0.3"],
    two: ["10.0.0.4"],
  };
  const names: Names = {
    addresses: async (name) =>
      known[name] ?? Promise.reject(name === "broken" ? Object.assign(new Error("x"), { code: "ESERVFAIL" }) : unknown),
    services: async (name) =>
      name === "_http._tcp.api"
        ? [
            { name: "one", port: 8001 },
            { name: "gone", port: 1 },
            { name: "two", port: 8002 },
          ]
        : Promise.reject(unknown),
    close: () => undefined,
  };
  const at = async (given: JsonObject, port?: number): Promise<string[]> =>
    (await byName(given, port, names)).map(({ name, address, port: own }) => `${name === address} ${address} ${own}`);
  expect(await at({ name: "api" }, 80)).toEqual(["true 10.0.0.2 80", "true 10.0.0.1 80", "true ::1 80"]);
  expect(await at({ name: "api", exclude_self: "10.0.0.1" })).toEqual(["true 10.0.0.2 undefined", "true ::1 undefined"]);
  expect(await at({ name: "api:81", exclude_self: "[::1]:80" }, 80)).toHaveLength(3);
  expect(await at({ name: "api:80", exclude_self: "[::1]:80" })).toHaveLength(2);
  expect(await at({ name: "_http._tcp.api" }, 80)).toEqual(["true 10.0.0.3 8001", "true 10.0.0.4 8002"]);
  expect([await at({ name: "nobody" }), await at({ name: "_x._tcp.nobody" })]).toEqual([[], []]);
  await expect(at({ name: "broken" })).rejects.toThrow("discover: the name 'broken' cannot be resolved (ESERVFAIL)");
  await expect(at({ name: " " })).rejects.toThrow("discover: dns needs a name");
});

test("a backend that is silent for too long, and a run that was given up before", async () => {
  const server = createServer(() => undefined);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const docker = { socket: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  const timeout = AbortSignal.timeout.bind(AbortSignal);
  const soon = vi.spyOn(AbortSignal, "timeout").mockImplementation(() => timeout(50));
  expect(await found({ docker })).toBe("discover timeout after 5000ms");
  soon.mockRestore();
  const asked = async (one: Act): Promise<Json> => {
    one.run.cancel("given up");
    return discover(one, { docker }).catch((error: Error) => error.message);
  };
  expect(String((await act(asked)).data)).toBe("discover: cancelled");
});

test("an answer is used again, a failure is not; who asks at once asks once", async () => {
  let fails = true;
  const { port, asked } = await serving(() => (fails ? { status: 503, body: "" } : { body: [container("one")] as Json }));
  let now = 0;
  const host = { ...createHost({ env: {} }), monotonic: () => now };
  const args = { docker: { socket: `http://127.0.0.1:${port}` }, port: 80 };
  const once = async (more: DiscoverArgs = {}): Promise<number> => {
    const target = served("GET", "/x", (_cx, one) => discover(one, { ...args, ...more }));
    const run = new LiveRun(host, configOf(target), target, bareRequest(host, "cli"));
    run.start();
    await run.finish();
    const [{ data } = { data: null }] = run.acts;
    return Array.isArray(data) ? data.length : -1;
  };
  expect(await once()).toBe(-1);
  fails = false;
  expect(await Promise.all([once(), once({ scheme: "https" }), once({ include: { name: "nobody" } })])).toEqual([1, 1, 0]);
  expect(asked.length).toBe(2);
  now = 9_999;
  expect(await once()).toBe(1);
  expect(asked.length).toBe(2);
  now = 10_001;
  expect([await once(), await once({ cache_ttl_secs: 0 })]).toEqual([1, 1]);
  expect(asked.length).toBe(4);
  await host.close();
});
