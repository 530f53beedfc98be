import { afterAll, afterEach, describe, expect, test } from "vitest";
import { prometheus } from "#runtime/metrics/prometheus.ts";
import type { Schedule } from "#runtime/plan/index.ts";
import { createHost, type Host } from "#runtime/process/host.ts";
import { serve } from "#runtime/process/server.ts";
import { Unmet } from "#runtime/process/unmet.ts";
import { background } from "#runtime/run/end/background.ts";
import type { Config, Scheduler } from "#runtime/run/interface.ts";
import { beginner, type Finished } from "#runtime/tracing/span.ts";
import { schedules } from "#runtime/triggers/schedule.ts";
import { Failure } from "#runtime/value/failure.ts";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import { load } from "../../../compiler/7-link/load.ts";
import { printAll } from "../../../compiler/pipeline.ts";
import { planned, printOne } from "../../harness/compile.ts";
import { smallLink } from "../../harness/small-link.ts";
import { configOf, send, served } from "../../harness/sockets.ts";
import { until } from "../../harness/until.ts";
import { backends } from "../state/state-stores.ts";

// Schedules (spec/surfaces 2): when a run begins, what it sees, when it is tried again, and that one node alone runs it. The clock is the test's own.

const minute = 60_000;
const midnight = Date.parse("2026-03-01T00:00:00Z");

/** A clock that stands still until it is told to go on. */
class Clock {
  now = midnight;
  #sleepers: { readonly at: number; readonly wake: () => void }[] = [];

  readonly sleep = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal.aborted) reject(new Error("aborted"));
      const sleeper = { at: this.now + ms, wake: resolve };
      signal.addEventListener("abort", () => reject(new Error("aborted")));
      this.#sleepers.push(sleeper);
    });

  /** Goes on to this time after midnight, stopping wherever somebody wakes. */
  async reach(ms: number): Promise<void> {
    const to = midnight + ms;
    for (;;) {
      await quiet();
      const [first] = this.#sleepers.toSorted((a, b) => a.at - b.at);
      if (first === undefined || first.at > to) break;
      this.#sleepers = this.#sleepers.filter((each) => each !== first);
      this.now = Math.max(this.now, first.at);
      first.wake();
    }
    this.now = to;
  }
}

/** Work that does not wait for the clock has been done. */
const quiet = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

const open: { readonly scheduler: Scheduler; readonly host: Host }[] = [];
afterEach(async () => {
  for (const { scheduler, host } of open.splice(0)) {
    scheduler.stop();
    await host.close();
  }
});

interface Node {
  readonly host: Host;
  readonly scheduler: Scheduler;
  readonly log: string[];
}

function node(clock: Clock, config: Config, base: Host = createHost({ env: {} })): Node {
  const log: string[] = [];
  const host: Host = {
    ...base,
    now: () => clock.now,
    monotonic: () => clock.now,
    sleep: clock.sleep,
    log: (level, msg, { scheduled_at = null } = {}) => void log.push(`${level} ${msg} ${scheduled_at}`),
  };
  const scheduler = (config.schedules ?? schedules)(host, config);
  open.push({ scheduler, host });
  return { host, scheduler, log };
}

/** One interface `job` that runs by this schedule; `run` is its action. */
function job(schedule: Schedule, run: (seen: JsonObject) => Json | Promise<Json>): Config {
  const { http: _, ...target } = served("POST", "/job", (cx) => run({ trigger: cx.input.trigger, params: cx.params }));
  return configOf({ ...target, name: "job", output: "none", schedule });
}

describe("a run", () => {
  test("begins at its times and sees them; nothing is begun before", async () => {
    const clock = new Clock();
    const seen: Json[] = [];
    const { scheduler, log } = node(
      clock,
      job({ cron: "*/2 * * * *" }, (each) => seen.push(each)),
    );
    scheduler.start();
    await clock.reach(2 * minute - 1);
    expect(seen).toEqual([]);
    await clock.reach(5 * minute);
    const at = (scheduled_at: string): Json => ({ trigger: "schedule", params: { scheduled_at, attempt: "1" } });
    expect(seen).toEqual([at("2026-03-01T00:02:00.000Z"), at("2026-03-01T00:04:00.000Z")]);
    expect(log).toEqual([]);
  });

  test("is skipped while the one before goes on", async () => {
    const clock = new Clock();
    let [begun, end] = [0, (): void => undefined];
    const config = job({ cron: "* * * * *" }, () => {
      begun += 1;
      return new Promise<Json>((resolve) => {
        end = () => resolve(null);
      });
    });
    const { scheduler, log } = node(clock, config);
    scheduler.start();
    // Its lease is renewed all the time.
    await clock.reach(3.5 * minute);
    expect(begun).toBe(1);
    expect(log).toEqual([2, 3].map((n) => `warn a scheduled run is skipped: the run before has not ended 2026-03-01T00:0${n}:00.000Z`));
    end();
    await clock.reach(4 * minute);
    expect(begun).toBe(2);
    end();
    await quiet();
  });

  test("is not made up for when the process has slept", async () => {
    const clock = new Clock();
    const seen: Json[] = [];
    const { scheduler, log } = node(
      clock,
      job({ cron: "0 * * * *" }, (each) => seen.push(each)),
    );
    scheduler.start();
    await clock.reach(59 * minute);
    clock.now = midnight + 190 * minute;
    await clock.reach(239 * minute);
    expect([seen, log]).toEqual([[], ["warn a scheduled run is skipped: its time was missed 2026-03-01T01:00:00.000Z"]]);
    await clock.reach(240 * minute);
    expect(seen).toHaveLength(1);
  });

  test("ends before the process does, and none begins after", async () => {
    const clock = new Clock();
    let [begun, end, ended] = [0, (): void => undefined, false];
    const { host, scheduler } = node(
      clock,
      job({ cron: "* * * * *" }, () => {
        begun += 1;
        return new Promise<Json>((resolve) => {
          end = () => resolve(null);
        });
      }),
    );
    scheduler.start();
    await clock.reach(minute);
    scheduler.stop();
    const waiting = background(host)
      .ended()
      .then(() => {
        ended = true;
      });
    await clock.reach(3 * minute);
    expect([begun, ended]).toEqual([1, false]);
    end();
    await waiting;
  });
});

describe("a run that fails", () => {
  /** Attempts by their minute, those that the handler of failures was told of, and the counts. */
  async function attempts(schedule: Schedule, until: number, succeeds = 99, stops?: number): Promise<readonly Json[][]> {
    const clock = new Clock();
    const [tried, told]: [Json[], Json[]] = [[], []];
    const failing = job(schedule, ({ params }) => {
      const { attempt } = params as { attempt: string }; // the trigger's own
      tried.push(`${attempt} at ${(clock.now - midnight) / minute}`);
      if (Number(attempt) < succeeds) throw new Error("no");
      return null;
    });
    const alarm = served("POST", "/alarm", (cx) => {
      told.push((clock.now - midnight) / minute);
      return cx.body;
    });
    const config: Config = {
      ...failing,
      interfaces: [...failing.interfaces, { ...alarm, name: "alarm" }],
      on_error: { interface: "alarm" },
      metrics: prometheus,
    };
    const { host, scheduler } = node(clock, config);
    const url = await prometheus(host).listen("127.0.0.1", 0);
    scheduler.start();
    if (stops !== undefined) {
      await clock.reach(stops * minute);
      scheduler.stop();
    }
    await clock.reach(until * minute);
    const { text } = await send(url, "/metrics");
    const counted = text.split("\n").filter((line) => /^pipewright_(?:schedule|interface_requests)/.test(line));
    return [tried, told, counted.filter((line) => line.includes("schedule"))];
  }

  const requests = (status: string): string =>
    `pipewright_interface_requests_total{config="t",interface="job",status_class="${status}",trigger="schedule"} 1`;
  const counted = (result: string): string => `pipewright_schedule_runs_total{result="${result}"} 1`;

  test("is not tried again by default", async () => {
    expect(await attempts({ cron: "0 1 * * *" }, 100)).toEqual([["1 at 60"], [60], [requests("5xx"), counted("failed")]]);
  });

  test("is tried again after waits that grow up to a bound; its handler hears of the last attempt", async () => {
    const schedule = {
      cron: "0 1 * * *",
      max_attempts: 4,
      retry_backoff_seconds: 60,
      retry_backoff_multiplier: 3,
      max_backoff_seconds: 300,
    };
    expect(await attempts(schedule, 100)).toEqual([
      ["1 at 60", "2 at 61", "3 at 64", "4 at 69"],
      [69],
      [requests("5xx"), counted("failed")],
    ]);
  });

  test("has not failed when an attempt succeeds", async () => {
    expect(await attempts({ cron: "0 1 * * *", max_attempts: 9 }, 100, 3)).toEqual([
      ["1 at 60", "2 at 61", "3 at 63"],
      [],
      [requests("2xx"), counted("succeeded")],
    ]);
  });

  test("makes way for the next time", async () => {
    const [tried, told] = await attempts({ cron: "*/4 * * * *", max_attempts: 9, retry_backoff_multiplier: 5 }, 9);
    expect([tried, told]).toEqual([
      ["1 at 4", "2 at 5", "1 at 8", "2 at 9"],
      [5, 9],
    ]);
  });

  test("is over when the process ends", async () => {
    const [tried, told] = await attempts({ cron: "0 1 * * *", max_attempts: 9 }, 100, 99, 60.5);
    expect([tried, told]).toEqual([["1 at 60"], [60.5]]);
  });
});

const stores = await backends();
afterAll(() => Promise.all(stores.map((each) => each.close())));

describe.each(stores.filter(({ name }) => name !== "memory"))("nodes that share $name", (store) => {
  test("run each time once", async () => {
    const clock = new Clock();
    const seen: Json[] = [];
    const config = job({ cron: "* * * * *" }, ({ params }) => seen.push(params ?? null));
    const nodes = [1, 2, 3].map(() => node(clock, config, store.process()));
    for (const { scheduler } of nodes) scheduler.start();
    for (const n of [1, 2, 3]) {
      await clock.reach(n * minute);
      await until(() => expect(seen).toHaveLength(n));
      await Promise.all(nodes.map(({ host }) => background(host).ended()));
    }
    expect(seen).toEqual([1, 2, 3].map((n) => ({ scheduled_at: `2026-03-01T00:0${n}:00.000Z`, attempt: "1" })));
    expect(nodes.flatMap(({ log }) => log)).toEqual([]);
  });
});

test("a store that does not answer runs nothing", async () => {
  const clock = new Clock();
  const seen: Json[] = [];
  const config = job({ cron: "* * * * *" }, (each) => seen.push(each));
  const { scheduler, log } = node(clock, config, createHost({ env: { PIPEWRIGHT_DATABASE_URL: "postgres://x@127.0.0.1:1/x" } }));
  scheduler.start();
  await clock.reach(minute);
  await until(() => expect(log.join("\n")).toContain("whether another node runs it is not known"));
  expect(seen).toEqual([]);
});

describe("a process among others", () => {
  const config = job({ cron: "* * * * *" }, () => null);
  const clustered = (url: string): Host => createHost({ env: { PIPEWRIGHT_CLUSTERED: "true", PIPEWRIGHT_DATABASE_URL: url } });

  test("does not start without a store that they share", async () => {
    for (const url of ["", "sqlite:x.db"])
      expect(await node(new Clock(), config, clustered(url)).scheduler.missing()).toEqual([
        "schedules of t need a database that all nodes share: set PIPEWRIGHT_DATABASE_URL to postgres://…",
      ]);
  });

  test("waits ten seconds for it", async () => {
    const clock = new Clock();
    const missing = node(clock, config, clustered("postgres://x@127.0.0.1:1/x")).scheduler.missing();
    await until(async () => {
      await clock.reach(clock.now - midnight + 1000);
      expect(clock.now - midnight).toBeGreaterThan(15_000);
    });
    expect(await missing).toEqual(["schedules of t: the database of PIPEWRIGHT_DATABASE_URL does not answer"]);
  });
});

test("each attempt is a trace of its own", async () => {
  const clock = new Clock();
  const spans: Finished[] = [];
  const base = createHost({
    env: {},
    tracer: (host) => ({ begin: beginner(host, { ratio: 1, followsCaller: true }, (span) => spans.push(span)), close: () => undefined }),
  });
  let attempts = 0;
  const failsOnce = (): Json => {
    attempts += 1;
    if (attempts === 1) throw new Failure("transport", "down");
    return attempts;
  };
  const { scheduler } = node(clock, job({ cron: "*/2 * * * *", max_attempts: 2, retry_backoff_seconds: 1 }, failsOnce), base);
  scheduler.start();
  await clock.reach(3 * minute);
  const runs = spans.filter(({ parent }) => parent === undefined);
  expect(runs.map(({ name, kind, failed, attributes }) => [name, kind, failed, attributes["pipewright.trigger"]])).toEqual([
    ["job", "internal", true, "schedule"],
    ["job", "internal", false, "schedule"],
  ]);
  expect(new Set(runs.map(({ context }) => context.traceId)).size).toBe(2);
  expect(spans.filter(({ name }) => name === "A").map(({ parent }) => parent?.spanId)).toEqual(runs.map(({ context }) => context.spanId));
});

const text = `name: t
interfaces:
  job:
    output: none
    schedule: { cron: "30 1 * * *", timezone: Europe/Berlin, enabled: true }
    log: { msg: "a|request::trigger| a|params::attempt| a|Job|" }
    actions:
      - name: Job
        json_output: { at: a|params::scheduled_at|, body: a|body| }
`;

test.each([false, true])("a configuration, walked: %s", async (interpret) => {
  const { configs } = await load(await printAll(planned(text), { interpret }));
  const [config = configOf()] = configs;
  const clock = new Clock();
  const { scheduler, log } = node(clock, config);
  scheduler.start();
  await clock.reach(31 * minute);
  expect(log).toEqual(['info schedule 1 {"at":"2026-03-01T00:30:00.000Z","body":null} null']);
});

test("a bundle carries cron only where it is needed", async () => {
  const carried = async (config: string): Promise<readonly string[]> =>
    (await smallLink(await printOne(planned(config)))).files.filter((file) => /cron|schedule/.test(file));
  expect(await carried(text.replace("enabled: true", "enabled: false"))).toEqual([]);
  expect(await carried(text)).toContain("runtime/triggers/schedule.ts");
});

test("a server starts schedules when it listens, and stops them first", async () => {
  const steps: string[] = [];
  const scheduler = (missing: readonly string[]): Scheduler => ({
    missing: async () => missing,
    start: () => void steps.push("start"),
    stop: () => void steps.push("stop"),
  });
  const serving = (missing: readonly string[]) =>
    serve([{ ...configOf(), schedules: () => scheduler(missing) }], {
      address: "127.0.0.1",
      port: 0,
      noticeMs: 0,
      env: {},
      log: (_, msg) => void steps.push(msg),
    });
  await expect(serving(["a store"])).rejects.toThrow(Unmet);
  expect(steps).toEqual([]);
  await (await serving([])).close();
  expect(steps).toEqual(["listening", "start", "stop"]);
});
