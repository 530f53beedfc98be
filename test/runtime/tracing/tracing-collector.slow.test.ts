import { afterEach, describe, expect, test } from "vitest";
import { createHost, type Host } from "#runtime/process/host.ts";
import { readSettings } from "#runtime/process/settings/options.ts";
import { tracerTo } from "#runtime/tracing/otlp.ts";
import { collector } from "../../harness/peers/otlp-collector.ts";
import { until } from "../../harness/until.ts";
import { closeAll, order, running, service } from "./traced-service.ts";

// A collector of traces gets spans over OTLP, also when it is slow or away, and the settings of it (spec/surfaces 16).

afterEach(closeAll);

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

test("a collector whose answer never ends holds up no further spans", async () => {
  const { sink, log, ask } = await service({ PIPEWRIGHT_OTEL_TIMEOUT_MS: "200" });
  sink.answer = 1;
  await ask("/broken");
  await until(() => log.some((line) => line.includes("traces cannot be exported, spans are dropped: the answer took too long")));
  sink.answer = 200;
  await ask("/broken");
  await until(() => sink.spans.length > 0);
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
