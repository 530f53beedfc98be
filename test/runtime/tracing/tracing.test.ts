import { afterEach, describe, expect, test } from "vitest";
import { createHost, type Host } from "#runtime/process/host.ts";
import type { Served, ServeOptions } from "#runtime/process/server.ts";
import { readSettings } from "#runtime/process/settings/options.ts";
import { tracerTo } from "#runtime/tracing/otlp.ts";
import { load } from "../../../compiler/7-link/load.ts";
import { planTexts, printAll } from "../../../compiler/pipeline.ts";
import { type Collector, collector, type Received } from "../../harness/peers/otlp-collector.ts";
import { type Got, type Sent, type Stub, send, stub } from "../../harness/sockets.ts";
import { until } from "../../harness/until.ts";

// Traces (spec/surfaces 16): spans of requests, runs, actions and loops, sent to a collector over OTLP; W3C Trace Context in and out.

const config = `name: shop
global: { variables: { base: "a|env::UPSTREAM|" } }
on_error: { interface: handle }
interfaces:
  orders/check:
    method: POST
    route: orders/:id
    actions:
      - name: Body
        input: a|body|
        assert: { http_code_on_error: 400, tests: [{ value: items, is_not_empty: true }] }
      - name: Prices
        run_when_succeeded: [Body]
        lookup: a|Body::items|
        actions:
          - name: Price
            http: { url: "a|env::UPSTREAM|/prices/a|body|?token=a|params::token|", headers: { traceparent: mine } }
      - name: Never
        run_when_failed: [Body]
        http: { url: "a|env::UPSTREAM|/never" }
  early:
    method: POST
    respond: early
    actions: [{ name: Call, http: { url: "a|env::UPSTREAM|/early", proxy_headers: true } }]
  broken:
    method: GET
    actions: [{ name: Fails, http: { url: "a|env::UPSTREAM|/500" } }]
  slow: { method: GET, actions: [{ name: Waits, delay: 60s, pre_log: [{ msg: waits }] }] }
  handle: { output: none, actions: [{ name: Told, input: a|body::http_code| }] }
`;

const running: { close: () => Promise<unknown> }[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.close()));
});

interface Service {
  readonly sink: Collector;
  readonly upstream: Stub;
  readonly log: readonly string[];
  readonly ask: (path: string, sent?: Sent) => Promise<Got>;
  /** Drains the process: everything has been sent then. */
  readonly end: () => Promise<unknown>;
}

/** Links by their text: a link takes half a second, and most tests are about the same configuration. */
const links = new Map<string, ReturnType<typeof load>>();
function linked(text: string, interpret: boolean): ReturnType<typeof load> {
  const key = `${interpret} ${text}`;
  const link = links.get(key) ?? printAll(planTexts([{ file: "shop.yml", text }]), { interpret }).then((modules) => load(modules));
  links.set(key, link);
  return link;
}

async function service(
  env: Record<string, string> = {},
  { interpret = false, ...options }: ServeOptions & { interpret?: boolean } = {},
  text = config,
): Promise<Service> {
  const sink = await collector();
  const upstream = await stub((response, { url = "" }) => response.writeHead(url === "/500" ? 500 : 200).end("{}"));
  const { configs, serve } = await linked(text, interpret);
  const { tracing, unmet, variables } = await readSettings({}, { OTEL_EXPORTER_OTLP_ENDPOINT: sink.url, ...env });
  expect(unmet).toEqual([]);
  const log: string[] = [];
  const served: Served = await serve(configs, {
    ...{ address: "127.0.0.1", port: 0, noticeMs: 0, env: { UPSTREAM: upstream.url }, tracing, variables },
    log: (level, msg, fields) => log.push(`${level} ${msg} ${JSON.stringify(fields ?? {})}`),
    ...options,
  });
  running.push(served, upstream, sink);
  return { sink, upstream, log, ask: (path, sent) => send(served.url, path, sent), end: () => served.close() };
}

/** The spans as trees of names, siblings in order of their names: times and ids are not theirs. */
function trees(spans: readonly Received[], root = ""): unknown[] {
  const known = new Set(spans.map(({ spanId }) => spanId));
  const isBelow = ({ parentId }: Received): boolean => (root === "" ? !known.has(parentId) : parentId === root);
  return spans
    .filter(isBelow)
    .map(({ name, kind, failed, attributes, spanId }) => {
      const { "pipewright.run_uuid": _, "server.port": __, ...shown } = attributes;
      return { name, kind, failed, attributes: shown, children: trees(spans, spanId) };
    })
    .sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)));
}

const caller = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const json = { "content-type": "application/json" };
const order = { method: "POST", headers: { ...json, traceparent: caller, tracestate: "a=1, b=2" }, body: '{"items":["x","y"]}' } as const;

const ofRun = (name: string, trigger = "http"): object => ({
  "pipewright.config": "shop",
  "pipewright.interface": name,
  "pipewright.trigger": trigger,
});
const ofCall = (status: number): object => ({
  "http.request.method": "GET",
  "server.address": "127.0.0.1",
  "http.response.status_code": status,
});

describe("a collector that is too slow", () => {
  test("is told once a minute with the number of spans, while it answers", async () => {
    const sink = await collector();
    running.push(sink);
    const { tracing } = await readSettings({}, { OTEL_EXPORTER_OTLP_ENDPOINT: sink.url });
    if (tracing === undefined) throw new Error("no settings");
    const log: string[] = [];
    const waits: { readonly ms: number; readonly elapse: () => void }[] = [];
    let now = 0;
    const host: Host = {
      ...createHost({ env: {}, log: (level, msg, fields) => void log.push(`${level} ${msg} ${JSON.stringify(fields)}`) }),
      monotonic: () => now,
      sleep: (ms, signal) =>
        new Promise((resolve, reject) => {
          waits.push({ ms, elapse: resolve });
          signal.addEventListener("abort", () => reject(new Error("not needed any more")));
        }),
    };
    const tracer = (await tracerTo(tracing))(host);
    // 4,096 wait beside the first 512, which are on their way.
    const spans = (count: number): void => {
      for (let n = 0; n < count; n++) tracer.begin("s", "internal", {}).end();
    };
    const told = async (wait: number): Promise<void> => {
      waits[wait]?.elapse();
      await new Promise((resolve) => setImmediate(resolve));
    };
    spans(4_096 + 512 + 7);
    expect(waits.map(({ ms }) => ms)).toEqual([1_000]);
    await told(0);
    expect(log).toEqual(['warn the collector of traces is too slow: spans were dropped {"spans":7}']);
    now = 20_000;
    while (waits.length < 2) spans(1);
    expect(waits[1]?.ms).toBe(40_000);
    spans(2);
    await told(1);
    expect(log[1]).toMatch(/^warn the collector of traces is too slow: spans were dropped \{"spans":[1-9]\d*\}$/);
    expect(log).toHaveLength(2);
    const closed = tracer.close();
    waits.at(-1)?.elapse();
    await closed;
    await host.close();
  });
});

describe("a call of a tool", () => {
  const tool = `name: tools
interfaces:
  m: { mcp: { enabled: true }, actions: [{ name: A, http: { url: "a|env::UPSTREAM|/tool" } }] }
  early: { mcp: { enabled: true }, respond: early, actions: [{ name: A, json_output: 1 }] }
`;
  const call = (name: string, traceparent?: string): Sent => ({
    method: "POST",
    headers: { ...json, ...(traceparent === undefined ? {} : { traceparent, tracestate: "a=1" }) },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: {} } }),
  });

  test.each([false, true])("goes on in the trace of the request; walked: %s", async (interpret) => {
    const { sink, upstream, ask, end } = await service({}, { interpret }, tool);
    expect((await ask("/mcp", call("m", caller))).status).toBe(200);
    expect((await ask("/mcp", call("early"))).status).toBe(200);
    await end();
    const [request] = sink.spans.filter(({ kind, parentId }) => kind === 2 && parentId === caller.slice(36, 52));
    expect(request).toMatchObject({ name: "POST /mcp", traceId: caller.slice(3, 35), state: "a=1" });
    expect(request?.attributes).toMatchObject({ "http.request.method": "POST", "http.route": "/mcp", "http.response.status_code": 200 });
    const [run] = sink.spans.filter(({ parentId }) => parentId === request?.spanId);
    expect(run).toMatchObject({ name: "m", kind: 1, traceId: request?.traceId });
    expect(run?.attributes).toMatchObject({ "pipewright.trigger": "mcp", "http.response.status_code": 200 });
    const [action] = sink.spans.filter(({ parentId }) => parentId === run?.spanId);
    expect(upstream.seen.map(({ headers }) => headers.traceparent)).toEqual([`00-${caller.slice(3, 35)}-${action?.spanId}-01`]);
    const alone = sink.spans.filter(({ traceId }) => traceId !== request?.traceId);
    expect(trees(alone)).toMatchObject([{ name: "POST /mcp", children: [{ name: "early", children: [{ name: "A" }] }] }]);
  });

  test("is not traced when the caller is not", async () => {
    const { sink, upstream, ask, end } = await service({}, {}, tool);
    await ask("/mcp", call("m", caller.replace(/01$/, "00")));
    await end();
    expect(sink.spans).toEqual([]);
    expect(upstream.seen[0]?.headers.traceparent).toMatch(new RegExp(`^00-${caller.slice(3, 35)}-[0-9a-f]{16}-00$`));
  });
});

describe.each([false, true])("walked: %s", (interpret) => {
  test("a request, its run, its actions and its loop are one tree in the trace of the caller", async () => {
    const { sink, upstream, ask, end } = await service({}, { interpret });
    expect((await ask("/orders/7?token=hidden", order)).status).toBe(200);
    await end();
    const price = { name: "Price", kind: 3, failed: false, attributes: ofCall(200), children: [] };
    const loop = { name: "Prices::lookup", kind: 1, failed: false, attributes: { "pipewright.items": 2 }, children: [price, price] };
    const actions = [
      { name: "Body", kind: 1, failed: false, attributes: {}, children: [] },
      { name: "Prices", kind: 1, failed: false, attributes: {}, children: [loop] },
    ];
    const run = {
      name: "orders/check",
      kind: 1,
      failed: false,
      attributes: { ...ofRun("orders/check"), "http.response.status_code": 200 },
      children: actions,
    };
    const request = {
      "http.request.method": "POST",
      "url.scheme": "http",
      "url.path": "/orders/7",
      "http.route": "/orders/:id",
      "network.protocol.version": "1.1",
      "http.response.status_code": 200,
    };
    expect(trees(sink.spans)).toEqual([{ name: "POST /orders/:id", kind: 2, failed: false, attributes: request, children: [run] }]);
    const [first] = sink.spans.filter(({ kind }) => kind === 2);
    expect([first?.traceId, first?.parentId, first?.state]).toEqual([caller.slice(3, 35), caller.slice(36, 52), "a=1,b=2"]);
    expect(first?.resource).toEqual({ "deployment.environment.name": "production", "service.name": "pipewright" });
    expect(sink.spans.every(({ nanoseconds }) => nanoseconds >= 0n && nanoseconds < 10_000_000_000n)).toBe(true);
    // The headers of the block about a trace do not go out: the calls belong to the spans of their actions.
    const prices = sink.spans.filter(({ name }) => name === "Price").map(({ traceId, spanId }) => `00-${traceId}-${spanId}-01`);
    expect(upstream.seen.map(({ headers }) => headers.traceparent).toSorted()).toEqual(prices.toSorted());
    expect(upstream.seen.map(({ headers }) => headers.tracestate)).toEqual(["a=1,b=2", "a=1,b=2"]);
    expect(JSON.stringify(sink.spans, (_, value) => (typeof value === "bigint" ? 0 : value))).not.toContain("hidden");
  });

  test("what fails is marked by its kind, with the handler of the failure in the same trace; the log names the trace", async () => {
    const { sink, log, ask, end } = await service({}, { interpret });
    await ask("/broken");
    await end();
    const fails = { name: "Fails", kind: 3, failed: true, attributes: { ...ofCall(500), "error.type": "status" }, children: [] };
    const told = { name: "Told", kind: 1, failed: false, attributes: {}, children: [] };
    const handler = {
      name: "handle",
      kind: 1,
      failed: false,
      attributes: { ...ofRun("handle", "on_error"), "http.response.status_code": 200 },
      children: [told],
    };
    const broken = {
      name: "broken",
      kind: 1,
      failed: true,
      attributes: { ...ofRun("broken"), "http.response.status_code": 500, "error.type": "500" },
      children: [fails, handler],
    };
    expect(trees(sink.spans)).toMatchObject([{ name: "GET /broken", kind: 2, failed: true, children: [broken] }]);
    const [{ traceId } = { traceId: "" }] = sink.spans;
    expect(new Set(sink.spans.map((span) => span.traceId)).size).toBe(1);
    const [failure = ""] = log.filter((line) => line.startsWith("error "));
    expect(JSON.parse(failure.slice(failure.indexOf("{")))).toMatchObject({ action: "Fails", trace_id: traceId });
  });

  test("a run outlives the request that was answered early", async () => {
    const { sink, upstream, ask, end } = await service({}, { interpret });
    expect((await ask("/early", { method: "POST", headers: { traceparent: caller } })).status).toBe(202);
    await end();
    expect(trees(sink.spans)).toMatchObject([
      {
        name: "POST /early",
        attributes: { "http.response.status_code": 202 },
        children: [{ name: "early", children: [{ name: "Call" }] }],
      },
    ]);
    expect(upstream.seen[0]?.headers.traceparent).toContain(caller.slice(3, 35));
    expect(upstream.seen[0]?.headers.traceparent).not.toContain(caller.slice(36, 52));
  });
});

test("a client that goes away ends the spans of its run", async () => {
  const { sink, ask, end, log } = await service();
  const gone = new AbortController();
  const asked = ask("/slow", { signal: gone.signal });
  void until(() => expect(log.join()).toContain("waits")).then(() => gone.abort());
  await expect(asked).rejects.toThrow();
  await until(() => expect(sink.spans).toHaveLength(3));
  await end();
  const [request] = trees(sink.spans);
  expect(request).toMatchObject({
    attributes: { "http.response.status_code": 499 },
    children: [{ name: "slow", attributes: { "http.response.status_code": 499 } }],
  });
});

test("a caller who does not want to be traced is not, and the services behind are told", async () => {
  const { sink, upstream, ask, end } = await service();
  await ask("/orders/7", { ...order, headers: { ...json, traceparent: caller.replace(/01$/, "00") } });
  await end();
  expect(sink.requests).toEqual([]);
  expect(upstream.seen.map(({ headers }) => headers.traceparent?.slice(-3))).toEqual(["-00", "-00"]);
});

test.each([
  "junk",
  "00-00000000000000000000000000000000-b7ad6b7169203331-01",
  "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
  "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
  "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
  `${caller}-more`,
  `${caller}, ${caller}`,
])("traceparent %s begins a trace of our own", async (traceparent) => {
  const { sink, ask, end } = await service();
  await ask("/broken", { headers: { traceparent, tracestate: "a=1" } });
  await end();
  const [root] = sink.spans.filter(({ kind }) => kind === 2);
  expect(root).toMatchObject({ parentId: "", state: "" });
  expect(root?.traceId).toMatch(/^(?!0af7651916cd43dd)[0-9a-f]{32}$/);
});

test("a tracestate that is not one goes nowhere", async () => {
  const { upstream, ask, end } = await service();
  const bad = ["A=1", "a", "a=é", `a=${"x".repeat(257)}`, Array.from({ length: 33 }, (_, i) => `k${i}=1`).join(",")];
  for (const tracestate of bad) await ask("/broken", { headers: { traceparent: caller, tracestate } });
  await end();
  expect(upstream.seen.map(({ headers }) => headers.tracestate)).toEqual(bad.map(() => undefined));
  expect(upstream.seen[0]?.headers.traceparent).toContain(caller.slice(3, 35));
});

test("secrets in what a span says are hidden, also those of the exporter", async () => {
  const { sink, ask, end, log } = await service(
    { OTEL_EXPORTER_OTLP_HEADERS: "x-api-key=canary%2Dkey", PIPEWRIGHT_OTEL_HDR_X_TENANT: "canary-tenant" },
    {},
  );
  await ask("/orders/canary-tenant", order);
  await end();
  expect(sink.requests[0]).toMatchObject({ path: "/v1/traces", headers: { "x-api-key": "canary-key", "x-tenant": "canary-tenant" } });
  expect(sink.spans.find(({ kind }) => kind === 2)?.attributes["url.path"]).toBe("/orders/***");
  expect(log.join("\n")).not.toContain("canary");
});

test("a ratio of none records nothing, gzip is understood, resources are named", async () => {
  const none = await service({ PIPEWRIGHT_OTEL_RATIO: "0" });
  await none.ask("/broken");
  await none.end();
  expect(none.sink.requests).toEqual([]);
  const packed = await service({
    OTEL_EXPORTER_OTLP_COMPRESSION: "gzip",
    OTEL_SERVICE_NAME: "shop",
    OTEL_RESOURCE_ATTRIBUTES: "service.namespace=a%20b,team=x",
  });
  await packed.ask("/broken");
  await packed.end();
  expect(packed.sink.spans[0]?.resource).toEqual({
    "deployment.environment.name": "production",
    "service.name": "shop",
    "service.namespace": "a b",
    team: "x",
  });
});

test("a collector that is away costs spans, is told of once, and does not hold up requests or the end", async () => {
  const { sink, log, ask, end } = await service({ PIPEWRIGHT_OTEL_TIMEOUT_MS: "200" });
  sink.answer = 503;
  for (let i = 0; i < 3; i++) {
    expect((await ask("/broken")).status).toBe(500);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
  }
  sink.answer = 0;
  await ask("/broken");
  await end();
  expect(log.filter((line) => line.includes("traces cannot be exported"))).toHaveLength(1);
  expect(log.some((line) => line.startsWith("warn spans were dropped"))).toBe(true);
});

test("the number of spans that wait is bounded", async () => {
  const { sink, ask, end, log } = await service({ PIPEWRIGHT_OTEL_TIMEOUT_MS: "60000" });
  sink.answer = 0;
  for (let i = 0; i < 130; i++) await Promise.all(Array.from({ length: 12 }, () => ask("/broken")));
  const counted = log.filter((line) => line.startsWith("warn spans were dropped"));
  expect(counted).toEqual([]);
  await end();
  const [dropped = ""] = log.filter((line) => line.startsWith("warn spans were dropped"));
  // 5 spans a run; what the collector holds is lost with what waited and what found no room.
  expect(JSON.parse(dropped.slice(dropped.indexOf("{"))).spans).toBeGreaterThan(4_096);
});

test("nothing is traced or loaded unless a collector is named", async () => {
  const { tracing } = await readSettings({}, { OTEL_SERVICE_NAME: "x" });
  expect(tracing).toBeUndefined();
  for (const off of [{ OTEL_SDK_DISABLED: "true" }, { OTEL_TRACES_EXPORTER: "none" }])
    expect((await readSettings({}, { PIPEWRIGHT_OTEL_ENDPOINT: "http://c", ...off })).tracing).toBeUndefined();
  const { upstream, ask, end } = await service({}, { tracing: undefined });
  await ask("/orders/7", order);
  await end();
  expect(upstream.seen.map(({ headers }) => headers.traceparent)).toEqual(["mine", "mine"]);
});

describe("settings", () => {
  test.each<[Record<string, string>, string]>([
    [{ PIPEWRIGHT_OTEL_ENDPOINT: "http://c:4318" }, "http://c:4318/v1/traces"],
    [{ PIPEWRIGHT_OTEL_ENDPOINT: "http://c:4318/v1/traces", OTEL_EXPORTER_OTLP_ENDPOINT: "http://d" }, "http://c:4318/v1/traces"],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "https://c/base/" }, "https://c/base/v1/traces"],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: "https://c", OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://t/x" }, "https://t/x"],
  ])("%j", async (env, url) => {
    expect((await readSettings({}, env)).tracing?.url).toBe(url);
  });

  test.each<[Record<string, string>, string]>([
    [{ PIPEWRIGHT_OTEL_ENDPOINT: "collector:4318" }, "PIPEWRIGHT_OTEL_ENDPOINT must be an address such as http://collector:4318"],
    [{ PIPEWRIGHT_OTEL_RATIO: "2" }, "PIPEWRIGHT_OTEL_RATIO must be a number from 0 to 1, not '2'"],
    [{ OTEL_EXPORTER_OTLP_TIMEOUT: "soon" }, "OTEL_EXPORTER_OTLP_TIMEOUT must be a number from 1 to 600000, not 'soon'"],
    [{ OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, "OTEL_EXPORTER_OTLP_PROTOCOL must be http/protobuf, not 'grpc'"],
    [{ OTEL_EXPORTER_OTLP_HEADERS: "secret" }, "OTEL_EXPORTER_OTLP_HEADERS must be a list of name=value with commas between them"],
    [{ OTEL_EXPORTER_OTLP_HEADERS: "a b=1" }, "header 'a b' of traces is no header"],
    [{ OTEL_TRACES_SAMPLER: "jaeger" }, "OTEL_TRACES_SAMPLER: 'jaeger' is not known"],
    [{ OTEL_EXPORTER_OTLP_COMPRESSION: "br" }, "OTEL_EXPORTER_OTLP_COMPRESSION must be gzip or none, not 'br'"],
  ])("%j keeps a process from starting", async (env, problem) => {
    expect((await readSettings({}, { OTEL_EXPORTER_OTLP_ENDPOINT: "http://c", ...env })).unmet).toEqual([problem]);
  });

  test.each<[Record<string, string>, object]>([
    [{}, { ratio: 1, followsCaller: true }],
    [{ PIPEWRIGHT_OTEL_RATIO: "0.25" }, { ratio: 0.25, followsCaller: true }],
    [{ OTEL_TRACES_SAMPLER: "always_off" }, { ratio: 0, followsCaller: false }],
    [
      { OTEL_TRACES_SAMPLER: "traceidratio", OTEL_TRACES_SAMPLER_ARG: "0.5" },
      { ratio: 0.5, followsCaller: false },
    ],
    [
      { OTEL_TRACES_SAMPLER: "parentbased_always_on", OTEL_TRACES_SAMPLER_ARG: "0.5" },
      { ratio: 1, followsCaller: true },
    ],
  ])("%j", async (env, sampling) => {
    expect((await readSettings({}, { PIPEWRIGHT_OTEL_ENDPOINT: "http://c", ...env })).tracing?.sampling).toEqual(sampling);
  });
});
