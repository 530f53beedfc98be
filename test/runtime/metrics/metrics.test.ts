import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, test } from "vitest";
import type { Measurement, Meter } from "#runtime/metrics/meter.ts";
import { prometheus } from "#runtime/metrics/prometheus.ts";
import { createHost, type Host } from "#runtime/process/host.ts";
import type { Served, ServeOptions } from "#runtime/process/server.ts";
import { readSettings } from "#runtime/process/settings/options.ts";
import type { Unmet } from "#runtime/process/unmet.ts";
import { load } from "../../../compiler/7-link/load.ts";
import { planTexts, printAll } from "../../../compiler/pipeline.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { smallLink } from "../../harness/small-link.ts";
import { send, stub } from "../../harness/sockets.ts";
import { until } from "../../harness/until.ts";

// Metrics for Prometheus: what is counted, where it is served, and what bounds it (spec/surfaces 16).

const hosts: Host[] = [];
const running: Served[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.close()));
  await Promise.all(hosts.splice(0).map((host) => host.close()));
});

interface Open {
  readonly meter: Meter;
  readonly log: readonly string[];
  readonly read: (headers?: Readonly<Record<string, string>>, path?: string, method?: string) => ReturnType<typeof send>;
}

async function open(): Promise<Open> {
  const log: string[] = [];
  const host = createHost({ env: {}, log: (level, msg) => log.push(`${level} ${msg}`) });
  hosts.push(host);
  const meter = prometheus(host);
  const url = await meter.listen("127.0.0.1", 0);
  return { meter, log, read: (headers = {}, path = "/metrics", method = "GET") => send(url, path, { headers, method }) };
}

const of = { config: "c", interface: "i", action: "A" };
const one: Measurement = { name: "orders_total", type: "counter", value: 1, labels: {}, description: undefined };
const lines = (text: string, start: string): string[] => text.split("\n").filter((line) => line.startsWith(start));

describe("what is counted", () => {
  test("requests by status and trigger, their time, and those that wait", async () => {
    const { meter, read } = await open();
    const [ends, other] = [
      meter.begins({ config: "c", interface: "i", trigger: "http" }),
      meter.begins({ config: "c", interface: "i", trigger: "mcp" }),
    ];
    ends(204);
    expect(lines((await read()).text, "pipewright_http_requests_pending")).toEqual(["pipewright_http_requests_pending 1"]);
    other(503);
    const { text } = await read();
    expect(lines(text, "pipewright_interface_requests_total")).toEqual([
      'pipewright_interface_requests_total{config="c",interface="i",status_class="2xx",trigger="http"} 1',
      'pipewright_interface_requests_total{config="c",interface="i",status_class="5xx",trigger="mcp"} 1',
    ]);
    expect(lines(text, "pipewright_interface_duration_ms_count")).toEqual([
      'pipewright_interface_duration_ms_count{config="c",interface="i"} 2',
    ]);
    expect(lines(text, "pipewright_http_requests_pending")).toEqual(["pipewright_http_requests_pending 0"]);
    expect(text).toContain("process_cpu_seconds_total");
  });

  test("calls, denials, detached runs and skipped handlers", async () => {
    const { meter, read } = await open();
    meter.watch(() => 3);
    meter.skipped("c");
    meter.called(of, 7);
    meter.denied("ip.deny");
    const { text } = await read();
    expect(text).toContain('pipewright_http_action_duration_ms_bucket{le="10",config="c",interface="i",action="A"} 1');
    expect(lines(text, "pipewright_network_denied_total")).toEqual(['pipewright_network_denied_total{rule="ip.deny"} 1']);
    expect(lines(text, "pipewright_detached_runs")).toEqual(["pipewright_detached_runs 3"]);
    expect(lines(text, "pipewright_on_error_skipped_total")).toEqual(['pipewright_on_error_skipped_total{config="c"} 1']);
  });
});

describe("what a configuration emits", () => {
  test("has the labels of its place, and no unset ones", async () => {
    const { meter, read } = await open();
    meter.record(of, { ...one, labels: { plan: "pro", left: null }, description: "Orders." });
    meter.record(of, { ...one, value: 2.5, labels: { plan: "pro" } });
    meter.record(of, { ...one, name: "queue", type: "gauge", value: -3 });
    meter.record(of, { ...one, name: "size", type: "histogram", value: 0.2 });
    const { text } = await read();
    expect(text).toContain("# HELP orders_total Orders.\n# TYPE orders_total counter\n");
    expect(lines(text, "orders_total")).toEqual(['orders_total{plan="pro",config="c",interface="i",action="A"} 3.5']);
    expect(lines(text, "queue{")).toEqual(['queue{config="c",interface="i",action="A"} -3']);
    expect(lines(text, "size_sum")).toEqual(['size_sum{config="c",interface="i",action="A"} 0.2']);
  });

  test.each<[string, Partial<Measurement>, string]>([
    ["another type", { type: "gauge" }, "metric 'orders_total' is a counter, not a gauge"],
    ["another label", { labels: { b: "x" } }, "metric 'orders_total' has no label 'b': its labels are a"],
    ["a bad label", { name: "n", labels: { "a-b": "x" } }, "bad label name 'a-b'"],
    ["a label of the format", { name: "n", labels: { le: "x" } }, "bad label name 'le'"],
    ["a label that is reserved", { name: "n", labels: { __name__: "x" } }, "bad label name '__name__'"],
    [
      "the name of a metric of the service",
      { name: "pipewright_network_denied_total" },
      "metric name 'pipewright_network_denied_total' is taken",
    ],
    ["a label that every metric has", { name: "n", labels: { interface: "x" } }, "bad label name 'interface'"],
    ["a name that begins like those of the service", { name: "pipewright_x" }, "metric name 'pipewright_x' is taken"],
    ["the announced name of a counter", { name: "orders", type: "gauge" }, "taken: 'orders' belongs to the counter 'orders_total'"],
    ["a sample of a histogram", { name: "size_count", type: "gauge" }, "taken: 'size_count' belongs to the histogram 'size'"],
    ["a histogram with such a sample", { name: "bytes", type: "histogram" }, "taken: 'bytes_sum' belongs to the gauge 'bytes_sum'"],
    ["a name of the process", { name: "nodejs_gc_duration_seconds_sum" }, "nodejs_gc_duration_seconds'"],
  ])("%s fails", async (_, change, message) => {
    const { meter } = await open();
    meter.record(of, { ...one, labels: { a: "x" } });
    meter.record(of, { ...one, name: "size", type: "histogram" });
    meter.record(of, { ...one, name: "bytes_sum", type: "gauge" });
    expect(() => meter.record(of, { ...one, ...change })).toThrow(message);
  });

  test("has at most 1000 series, and a label at most 200 characters", async () => {
    const { meter, log, read } = await open();
    for (let i = 0; i < 1_100; i++) meter.record(of, { ...one, labels: { id: i === 0 ? "x".repeat(300) : `n${i}` } });
    meter.record(of, { ...one, value: 5, labels: { id: "n7" } });
    const { text } = await read();
    expect(lines(text, "orders_total{")).toHaveLength(1_000);
    expect(text).toContain(`id="${"x".repeat(200)}"`);
    expect(lines(text, 'orders_total{id="n7"')).toEqual(['orders_total{id="n7",config="c",interface="i",action="A"} 6']);
    expect(log).toEqual(["warn metric 'orders_total' has 1000 series: further ones are not recorded"]);
  });

  test("has no half of a character where a label is cut", async () => {
    const { meter, read } = await open();
    meter.record(of, { ...one, labels: { a: `${"x".repeat(199)}\u{1f600}` } });
    expect((await read()).text).toContain(`a="${"x".repeat(199)}",`);
  });

  test("cannot break out of its line", async () => {
    const { meter, read } = await open();
    meter.record(of, { ...one, labels: { a: 'x"} 1\nevil 1' } });
    expect(lines((await read()).text, "evil")).toEqual([]);
  });
});

describe("a reader", () => {
  test("gets the text format, or OpenMetrics if it asks, also at the same time", async () => {
    const { meter, read } = await open();
    meter.record(of, one);
    const [plain, open_] = await Promise.all([read(), read({ accept: "application/openmetrics-text;version=1.0.0,text/plain;q=0.5" })]);
    expect(plain.headers["content-type"]).toBe("text/plain; version=0.0.4; charset=utf-8");
    expect(open_.headers["content-type"]).toBe("application/openmetrics-text; version=1.0.0; charset=utf-8");
    expect([plain.text.endsWith("# EOF\n"), open_.text.endsWith("# EOF\n")]).toEqual([false, true]);
  });

  test.each([
    ["application/openmetrics-text;q=0", "text/plain"],
    ["text/plain;q=1, application/openmetrics-text;q=0.1", "text/plain"],
    ["*/*", "text/plain"],
    ["text/plain, application/openmetrics-text", "application/openmetrics-text"],
    ["application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2", "application/openmetrics-text"],
  ])("that accepts %s gets %s", async (accept, type) => {
    const { read } = await open();
    expect((await read({ accept })).headers["content-type"]).toContain(type);
  });

  test("finds counters under their names in both formats, whatever was read before", async () => {
    const { meter, read } = await open();
    meter.record(of, one);
    meter.record(of, { ...one, name: "visits" });
    meter.denied("ip.deny");
    const accept = "application/openmetrics-text; version=1.0.0";
    const plain = await read();
    const [first, again] = [await read({ accept }), await read({ accept })];
    const [after, together] = await Promise.all([read(), read({ accept })]);
    const counters = (text: string): string[] =>
      text.split("\n").filter((line) => /^(?:# TYPE )?(?:orders|visits|pipewright_network_denied)/.test(line));
    const place = '{config="c",interface="i",action="A"} 1';
    for (const { text } of [plain, after])
      expect(counters(text)).toEqual([
        "# TYPE pipewright_network_denied_total counter",
        'pipewright_network_denied_total{rule="ip.deny"} 1',
        "# TYPE orders_total counter",
        `orders_total${place}`,
        "# TYPE visits counter",
        `visits${place}`,
      ]);
    for (const { text } of [first, again, together])
      expect(counters(text)).toEqual([
        "# TYPE pipewright_network_denied counter",
        'pipewright_network_denied_total{rule="ip.deny"} 1',
        "# TYPE orders counter",
        `orders_total${place}`,
        "# TYPE visits counter",
        `visits_total${place}`,
      ]);
  });

  test("finds one counter under a name of OpenMetrics", async () => {
    const { meter } = await open();
    meter.record(of, one);
    expect(() => meter.record(of, { ...one, name: "orders" })).toThrow(
      "metric name 'orders' is taken: 'orders' belongs to the counter 'orders_total'",
    );
    meter.record(of, { ...one, name: "visits" });
    expect(() => meter.record(of, { ...one, name: "visits_total" })).toThrow("metric name 'visits_total' is taken");
  });

  test("finds nothing else", async () => {
    const { read } = await open();
    expect([(await read({}, "/")).status, (await read({}, "/metrics?x=1")).status]).toEqual([404, 200]);
    const { status, headers } = await read({}, "/metrics", "POST");
    expect([status, headers.allow]).toEqual([405, "GET, HEAD"]);
  });
});

const config = `name: t
expose_metrics: true
network: { ip: { deny: [203.0.113.0/24] } }
interfaces:
  hello: { method: GET, actions: [{ name: H, http: { url: "a|env::UPSTREAM|/x" } }] }
`;

describe("a service", () => {
  async function served(options: ServeOptions = {}, text = config): Promise<{ readonly url: string; readonly log: readonly string[] }> {
    const { configs, serve: start } = await load(await printAll(planTexts([{ file: "t.yml", text }])));
    const log: string[] = [];
    const bind = { address: "127.0.0.1", port: 0, chosen: true };
    const made = await start(configs, {
      ...{ address: "127.0.0.1", port: 0, noticeMs: 0, env: {}, metricsBind: bind },
      log: (level, msg, fields) => log.push(`${level} ${msg} ${JSON.stringify(fields ?? {})}`),
      ...options,
    });
    running.push(made);
    return { url: made.url, log };
  }

  test("counts what it answers and whom it denies, on an address of its own", async () => {
    const upstream = await stub((response) => response.end("{}"));
    const { url, log } = await served({ env: { UPSTREAM: upstream.url } });
    await send(url, "/hello");
    await send(url, "/hello", { headers: { "x-forwarded-for": "203.0.113.7" } });
    await send(url, "/nowhere");
    const [metrics = ""] = log.flatMap((line) => /^info metrics \{"url":"(.*)"\}$/.exec(line)?.[1] ?? []);
    await until(async () => {
      const { text } = await send(metrics, "/metrics");
      expect(lines(text, "pipewright_interface_requests_total").toSorted()).toEqual([
        'pipewright_interface_requests_total{config="t",interface="hello",status_class="2xx",trigger="http"} 1',
        'pipewright_interface_requests_total{config="t",interface="hello",status_class="4xx",trigger="http"} 1',
      ]);
      expect(lines(text, "pipewright_http_action_duration_ms_count")).toEqual([
        'pipewright_http_action_duration_ms_count{config="t",interface="hello",action="H"} 1',
      ]);
      expect(lines(text, "pipewright_network_denied_total")).toEqual(['pipewright_network_denied_total{rule="ip.deny"} 1']);
    });
    expect((await send(url, "/metrics")).status).toBe(404);
    await upstream.close();
  });

  test("serves none where no configuration exposes any, or where they are off", async () => {
    const plain = await served({}, config.replace("expose_metrics: true\n", ""));
    const off = await served({ metricsBind: undefined });
    for (const { log } of [plain, off]) expect(log.filter((line) => line.includes("metrics"))).toEqual([]);
  });

  test("needs an address that was chosen, and does without the usual one", async () => {
    const busy = createServer();
    await new Promise<void>((resolve) => busy.listen(0, "127.0.0.1", resolve));
    const { port } = busy.address() as AddressInfo;
    const at = (chosen: boolean) => ({ metricsBind: { address: "127.0.0.1", port, chosen } });
    const problem = `PIPEWRIGHT_METRICS_BIND: 127.0.0.1:${port} cannot be used: EADDRINUSE`;
    const failed = await served(at(true)).catch((thrown: Unmet) => thrown);
    expect("needs" in failed ? failed.needs : []).toEqual([problem]);
    expect((await served(at(false))).log).toContain(`warn metrics are not served: ${problem} {}`);
    await new Promise((resolve) => busy.close(resolve));
  });

  test.each<[string, unknown, readonly string[]]>([
    ["", { address: "127.0.0.1", port: 9090, chosen: false }, []],
    ["off", undefined, []],
    ["0.0.0.0:9100", { address: "0.0.0.0", port: 9100, chosen: true }, []],
    ["[::1]:9100", { address: "::1", port: 9100, chosen: true }, []],
    ["9100", undefined, ["PIPEWRIGHT_METRICS_BIND must be off or ADDRESS:PORT, not '9100'"]],
    ["host:99999", undefined, ["PIPEWRIGHT_METRICS_BIND must be off or ADDRESS:PORT, not 'host:99999'"]],
  ])("PIPEWRIGHT_METRICS_BIND=%s", async (text, bind, unmet) => {
    const settings = await readSettings({}, { PIPEWRIGHT_METRICS_BIND: text });
    expect([settings.metricsBind, settings.unmet]).toEqual([bind, unmet]);
  });
});

test("a bundle carries metrics only where they are exposed", async () => {
  const carried = async (text: string): Promise<readonly string[]> =>
    (await smallLink(await printOne(planned(text)))).files.filter((file) => file.startsWith("runtime/metrics/"));
  expect(await carried(config.replace("expose_metrics: true\n", ""))).toEqual([]);
  expect(await carried(config)).toContain("runtime/metrics/prometheus.ts");
});
