import { expect, test } from "vitest";
import { listInterfaces } from "#runtime/admin/interfaces.ts";
import { bundle } from "../../../../compiler/7-link/bundle.ts";
import { ownFolder, recorded } from "../../../harness/captured.ts";
import { planned, printOne } from "../../../harness/compile.ts";
import { send } from "../../../harness/sockets.ts";
import { connect, connectTo, key, serving, tokenOf, withKey } from "./ws-serving.ts";

// The metrics and logs about sockets (spec/surfaces 16), and which bundles carry them.

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

test("a run that has failed starts the handler of its configuration, an authorizer does not", async () => {
  const service = await serving(`
name: told
on_error: { interface: alarm }
interfaces:
  live: { ws: "on", subscribe_authorizer: allow, actions: [{ name: A, input: a|body|, assert: { tests: [{ value: n, is_not_null: true }] } }] }
  open: { ws: "on", actions: [] }
  allow: { actions: [{ name: A, input: a|body|, assert: { tests: [{ value: channel, is_equal_to: never }] } }] }
  alarm: { actions: [{ name: Tell, ws_publish: { channels: alarms, data: { of: a|body::interface|, code: a|body::http_code| } } }] }
`);
  const [watching, failing] = [await connect(service, "open", withKey), await connect(service, "live", withKey)];
  await watching.ask({ ap_subscribe: "alarms" });
  expect(await failing.ask({ ap_subscribe: "c" })).toMatchObject({ ap_error: "forbidden" });
  expect(await failing.ask({})).toMatchObject({ data: { A: {} } });
  expect(await watching.one()).toEqual({ ap_channel: "alarms", data: { of: "live", code: 500 } });
  expect(await watching.rest()).toEqual([]);
});

test("runs that go on without their caller are bounded", async () => {
  const text = "name: early\ninterfaces: { live: { ws: 1, respond: early, actions: [] } }";
  const client = await connect(await serving(text, { limits: { maxDetachedRuns: 0 } }), "live", withKey);
  expect(await client.ask({ ap_id: 1 })).toEqual({ error: "too_many_detached_runs", ap_id: 1 });
});

test("runs are recorded with their trigger, and without what let their client in", async () => {
  const folder = ownFolder();
  const text = `
name: kept
interfaces:
  live: { ws: "on", subscribe_authorizer: allow, capture: all, actions: [{ name: A, input: a|headers| }] }
  allow: { capture: all, actions: [{ name: A, input: a|headers| }] }
`;
  const service = await serving(text, { env: folder.env, organisation: "local", environment: "production" });
  const token = tokenOf({ sub: "ann" });
  const client = await connectTo(service.url, `/ws/local/production/live?api_key=${key}&token=${token}&room=1`);
  await client.ask({ n: 1 });
  await client.ask({ ap_subscribe: "c" });
  await service.served.close();
  const records = await recorded(folder.env);
  expect(records.map(({ interface: name, trigger, status }) => [name, trigger, status]).sort()).toEqual([
    ["allow", "authorizer", 200],
    ["live", "ws", 200],
  ]);
  expect(records.find(({ trigger }) => trigger === "ws")?.request).toMatchObject({ body: { n: 1 }, params: { room: "1" } });
  expect(JSON.stringify(records)).not.toContain(token);
  expect(JSON.stringify(records)).not.toContain(key);
  folder.remove();
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
