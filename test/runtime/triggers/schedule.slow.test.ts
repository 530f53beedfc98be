import { afterEach, describe, expect, test } from "vitest";
import { prometheus } from "#runtime/metrics/prometheus.ts";
import type { Schedule } from "#runtime/plan/index.ts";
import { createHost } from "#runtime/process/host.ts";
import { background } from "#runtime/run/end/background.ts";
import type { Config } from "#runtime/run/interface.ts";
import { beginner, type Finished } from "#runtime/tracing/span.ts";
import { Failure } from "#runtime/value/failure.ts";
import type { Json } from "#runtime/value/json.ts";
import { send, served } from "../../harness/sockets.ts";
import { Clock, job, midnight, minute, node, quiet, stopNodes } from "./schedule-clock.ts";

// Schedules (spec/surfaces 2): when a run begins, what it sees, and when it is tried again. The clock is the test's own.

afterEach(stopNodes);

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
