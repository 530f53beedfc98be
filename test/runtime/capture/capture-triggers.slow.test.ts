import { afterEach, beforeEach, expect, test } from "vitest";
import type { CapturedRun } from "#runtime/capture/recording.ts";
import type { HostOptions } from "#runtime/process/host.ts";
import { defaultLimits } from "#runtime/process/host.ts";
import type { Served } from "#runtime/process/server.ts";
import type { JsonObject } from "#runtime/value/json.ts";
import { load } from "../../../compiler/7-link/load.ts";
import { planTexts, printAll } from "../../../compiler/pipeline.ts";
import { ownFolder, recorded } from "../../harness/captured.ts";
import { send, stub } from "../../harness/sockets.ts";
import { until } from "../../harness/until.ts";

// Runs are recorded once, whatever triggers them and however they end (spec/surfaces 16).

const config = `
name: ends
interfaces:
  quick: { method: GET, capture: all, actions: [{ name: A, json_output: 1 }] }
  slow: { method: GET, capture: all, actions: [{ name: A, json_output: 1 }, { name: Waits, http: { url: "a|env::SILENT|/" } }] }
  early:
    method: POST
    respond: early
    capture: all
    actions: [{ name: A, input: a|body|, assert: { tests: [{ value: n, is_not_null: true }], http_code_on_error: 422 } }]
  early-slow: { method: GET, respond: early, capture: all, actions: [{ name: Waits, http: { url: "a|env::SILENT|/" } }] }
  broken: { method: GET, capture: errors, response: { headers: { x-a: "a|params::value|" } }, actions: [{ name: A, json_output: 1 }] }
  denied: { method: GET, capture: all, network: { ip: { allow: [192.0.2.1] } }, actions: [] }
  limited: { method: GET, capture: all, params: { n: { validate: { regex: "^x$" } } }, actions: [{ name: A, json_output: 1 }] }
`;

let folder: ReturnType<typeof ownFolder>;
let silent: Awaited<ReturnType<typeof stub>>;
const running: Served[] = [];
beforeEach(async () => {
  folder = ownFolder();
  silent = await stub(() => undefined);
});
afterEach(async () => {
  await Promise.all(running.splice(0).map((each) => each.close()));
  await silent.close();
  folder.remove();
});

async function serve(
  limits: Partial<HostOptions["limits"]> = {},
  interpret = false,
): Promise<{ readonly url: string; readonly log: JsonObject[] }> {
  const log: JsonObject[] = [];
  const loaded = await load(await printAll(planTexts([{ file: "ends.yaml", text: config }]), { interpret }));
  const served = await loaded.serve(loaded.configs, {
    ...{ address: "127.0.0.1", port: 0, noticeMs: 0, env: { ...folder.env, SILENT: silent.url }, limits: { ...defaultLimits, ...limits } },
    log: (level, msg, fields = {}) => void log.push({ level, msg, ...fields }),
  });
  running.push(served);
  return { url: served.url, log };
}

/** The runs that have been kept when the process has ended. */
async function kept(): Promise<readonly CapturedRun[]> {
  await Promise.all(running.splice(0).map((each) => each.close()));
  return (await recorded(folder.env)).reverse();
}

const shown = (runs: readonly CapturedRun[]): string[] =>
  runs.map(({ interface: name, status, aborted, actions }) =>
    [name, status, ...(aborted === true ? ["aborted"] : []), ...actions.map((action) => `${action.name} ${action.status}`)].join(", "),
  );

const arrived = (calls: number): Promise<void> => until(() => expect(silent.seen.length).toBeGreaterThanOrEqual(calls));

test.each([
  ["printed", false],
  ["walked", true],
])("over HTTP, answered at once or before the actions (%s)", async (_, interpret) => {
  const { url } = await serve({}, interpret);
  const id = "3f0b8f0e-5e0d-4f0a-9d3c-2f1a5b6c7d8e";
  const quick = await send(url, "/quick", { headers: { "x-request-id": id } });
  expect((await send(url, "/early", { method: "POST", body: "{}", headers: { "content-type": "application/json" } })).status).toBe(202);
  await send(url, "/broken?value=a%0ab");
  // An answer that no run has given is not recorded.
  for (const path of ["/denied", "/nothing", "/early"]) expect((await send(url, path)).status).toBeGreaterThanOrEqual(400);
  expect((await send(url, "/limited?n=y")).status).toBe(400);
  const runs = await kept();
  expect(shown(runs)).toEqual(["quick, 200, A succeeded", "early, 422, A failed", "broken, 500, A succeeded", "limited, 400"]);
  expect(runs[0]?.run_uuid).toBe(quick.headers["x-request-id"]);
  expect(runs[0]?.run_uuid).not.toBe(id);
});

test("of a client that goes away", async () => {
  const { url } = await serve();
  const gone = new AbortController();
  const asked = send(url, "/slow", { signal: gone.signal });
  await arrived(1);
  gone.abort();
  await expect(asked).rejects.toThrow();
  expect(shown(await kept())).toEqual(["slow, 499, aborted, A succeeded, Waits failed"]);
});

test("of a client that waits too long", async () => {
  const { url } = await serve({ runTimeoutMs: 200 });
  expect((await send(url, "/slow")).status).toBe(504);
  expect(shown(await kept())).toEqual(["slow, 504, A succeeded, Waits unfinished"]);
});

test("of a process that ends", async () => {
  const { url, log } = await serve({ shutdownGraceMs: 50 });
  const asked = send(url, "/slow").catch(() => undefined);
  expect((await send(url, "/early-slow")).status).toBe(202);
  await arrived(2);
  const runs = await kept();
  await asked;
  expect(shown(runs).toSorted()).toEqual([
    "early-slow, 500, aborted, Waits unfinished",
    // The run ends as its connection, or the call it waits for, is closed first.
    expect.stringMatching(/^slow, (?:499, aborted|500), A succeeded, Waits failed$/),
  ]);
  expect(log.filter(({ msg }) => String(msg).startsWith("captured"))).toEqual([]);
});

test("of a schedule, with all its attempts as one run", async () => {
  const text = `
name: timed
interfaces:
  job:
    output: none
    capture: all
    schedule: { cron: "* * * * *", enabled: true, max_attempts: 2, retry_backoff_seconds: 1 }
    actions: [{ name: A, json_output: a|params::attempt|, assert: { tests: [{ value: a|params::attempt|, is_equal_to: "2" }] } }]
`;
  const { configs, createHost, background } = await load(await printAll(planTexts([{ file: "timed.yaml", text }])));
  let now = Date.parse("2026-03-01T00:00:30Z");
  const made = createHost({ env: { ...folder.env }, log: () => undefined });
  // The clock is where a sleep leads to: to the time of the schedule, and to its second attempt. Nothing else comes.
  const sleep = async (ms: number, signal: AbortSignal): Promise<void> => {
    await new Promise<void>((resolve, reject) => {
      if (ms === 30_000 || ms === 1_000) setTimeout(resolve, 2);
      signal.addEventListener("abort", () => reject(new Error("aborted")));
    });
    now += ms;
  };
  const host = { ...made, now: () => now, sleep };
  const [config] = configs;
  const scheduler = config?.schedules?.(host, config);
  scheduler?.start();
  while (now < Date.parse("2026-03-01T00:01:01Z")) await new Promise((resolve) => setTimeout(resolve, 2));
  await background(host).ended();
  scheduler?.stop();
  await made.close();
  const runs = await recorded(folder.env);
  expect(runs).toHaveLength(1);
  expect(runs[0]).toMatchObject({
    trigger: "schedule",
    status: 200,
    request: { params: { attempt: "2", scheduled_at: "2026-03-01T00:01:00.000Z" } },
  });
});
