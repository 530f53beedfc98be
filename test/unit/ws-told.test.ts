import { expect, test } from "vitest";
import { listInterfaces } from "#runtime/admin/interfaces.ts";
import { bundle } from "../../compiler/6-link/bundle.ts";
import { planned, printOne } from "../harness/compile.ts";
import { send } from "./sockets.ts";
import { connect, serving, withKey } from "./ws-serving.ts";

// What is told of sockets besides what they hear (surfaces.md 16), and which bundles carry them.

const config = `
name: told
expose_metrics: true
interfaces:
  live: { ws: "on", subscribe_authorizer: allow, actions: [{ name: A, input: a|body|, assert: { tests: [{ value: n, is_not_null: true }] } }] }
  quiet: { output: none, ws: 1, public: true, actions: [] }
  allow: { actions: [{ name: A, input: a|body|, assert: { http_code_on_error: 403, tests: [{ value: channel, is_equal_to: a }] } }] }
`;

const env = { PIPEWRIGHT_WS_PUBLIC_CHANNELS: "#" };

test("metrics count connections, and runs by their trigger", async () => {
  const service = await serving(config, { env, metricsBind: { address: "127.0.0.1", port: 0, chosen: true } });
  const metrics = service.log.find(({ msg }) => msg === "metrics")?.url;
  const read = async () => (await send(String(metrics), "/metrics")).text.split("\n");
  const clients = [await connect(service, "live", withKey), await connect(service, "quiet")];
  const [live] = clients;
  await live?.ask({ n: 1 });
  await live?.ask({});
  await live?.ask({ ap_subscribe: "a" });
  const first = await read();
  expect(first).toContain("pipewright_ws_connections 2");
  expect(first).toContain("pipewright_ws_dropped_total 0");
  const counted = (name: string, status: string, trigger: string): string =>
    `pipewright_interface_requests_total{config="told",interface="${name}",status_class="${status}",trigger="${trigger}"} 1`;
  expect(first).toContain(counted("live", "2xx", "ws"));
  expect(first).toContain(counted("live", "5xx", "ws"));
  expect(first).toContain(counted("allow", "2xx", "authorizer"));
  expect(first).toContain("pipewright_http_requests_pending 0");
  for (const client of clients) client.socket.close();
  await Promise.all(clients.map(({ closed }) => closed));
  await expect.poll(read).toContain("pipewright_ws_connections 0");
});

test("the admin API says how they are reached", async () => {
  const { served, configs } = await serving(config, { env });
  expect(listInterfaces({ host: served.host, configs })).toMatchObject([
    { interface: "live", output: "none", ws: "reply", public: false, subscribe_authorizer: "allow" },
    { interface: "quiet", output: "none", ws: "discard", public: true, subscribe_authorizer: null },
    { interface: "allow", output: "none" },
  ]);
});

test.each([
  ["sockets", 'ws: "on", actions: []', true],
  ["a run that publishes", "method: POST, actions: [{ name: A, ws_publish: { channels: a } }]", false],
  ["neither", "method: POST, public: true, actions: []", false],
])("a bundle of %s carries the library of sockets: %s", async (_, written, expected) => {
  for (const interpret of [false, true]) {
    const module = await printOne(planned(`name: t\ninterfaces:\n  i: { ${written} }\n`), { interpret });
    const { packages, code } = await bundle([module], { environment: "test", format: "cjs" });
    expect([packages.some(({ name }) => name === "ws"), code.includes("airpipe-jwt")]).toEqual([expected, expected]);
  }
});
