import { afterEach, describe, expect, test } from "vitest";
import type { Received } from "../../harness/peers/otlp-collector.ts";
import type { Sent } from "../../harness/sockets.ts";
import { until } from "../../harness/until.ts";
import { caller, closeAll, json, order, service } from "./traced-service.ts";

// Traces (spec/surfaces 16): spans of requests, runs, actions and loops, sent to a collector over OTLP; W3C Trace Context in and out.

afterEach(closeAll);

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
