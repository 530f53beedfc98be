import { expect } from "vitest";
import type { Served, ServeOptions } from "#runtime/process/server.ts";
import { readSettings } from "#runtime/process/settings/options.ts";
import { load } from "../../../compiler/7-link/load.ts";
import { planTexts, printAll } from "../../../compiler/pipeline.ts";
import { type Collector, collector } from "../../harness/peers/otlp-collector.ts";
import { type Got, type Sent, type Stub, send, stub } from "../../harness/sockets.ts";

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

/** Services and collectors to close after the test. */
export const running: { close: () => Promise<unknown> }[] = [];

/** Closes what a test has started. */
export async function closeAll(): Promise<void> {
  await Promise.all(running.splice(0).map((each) => each.close()));
}

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

/** Serves a configuration whose spans go to a collector of the test. */
export async function service(
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

/** The trace of a caller. */
export const caller = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

/** The head of a request with a body of JSON. */
export const json = { "content-type": "application/json" };

/** A request of such a caller. */
export const order = {
  method: "POST",
  headers: { ...json, traceparent: caller, tracestate: "a=1, b=2" },
  body: '{"items":["x","y"]}',
} as const;
