import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Schedule } from "#runtime/plan/index.ts";
import { createHost, type Host } from "#runtime/process/host.ts";
import { background } from "#runtime/run/end/background.ts";
import type { Config } from "#runtime/run/interface.ts";
import { MemoryRuns } from "#runtime/store/memory-runs.ts";
import { coordinationOf } from "#runtime/store/open-coordination.ts";
import { Outage } from "#runtime/store/outage.ts";
import type { NewRun } from "#runtime/store/runs.ts";
import { Failure } from "#runtime/value/failure.ts";
import { isObject, type Json } from "#runtime/value/json.ts";
import { served } from "../../harness/sockets.ts";
import { until } from "../../harness/until.ts";
import { type DurablePlace, durable } from "../store/run-stores.ts";
import { Clock, job, midnight, minute, node, stopNodes } from "./schedule-clock.ts";

// An attempt of a schedule that waits in the store outlives its process (spec/surfaces 2): another node makes it, or the same one later.

afterEach(stopNodes);

/** Once a day: the next time is far away. */
const daily: Schedule = { cron: "1 0 * * *", max_attempts: 3, retry_backoff_seconds: 60 };

/** A schedule whose attempts fail up to the one that succeeds, and what its nodes have done. */
function failing(schedule: Schedule, succeeds = 99) {
  const [tried, told]: [Json[], Json[]] = [[], []];
  const base = job(schedule, ({ params }) => {
    const { attempt } = params as { attempt: string }; // the trigger's own
    tried.push(attempt);
    if (Number(attempt) < succeeds) throw new Failure("transport", "no");
    return null;
  });
  const alarm = served("POST", "/alarm", ({ body }) => {
    told.push(isObject(body) ? (body.http_code ?? null) : null);
    return null;
  });
  const config: Config = { ...base, interfaces: [...base.interfaces, { ...alarm, name: "alarm" }], on_error: { interface: "alarm" } };
  return { config, tried, told };
}

describe.each(durable)("$name", ({ open }) => {
  let place: DurablePlace;
  beforeEach(async () => {
    place = await open();
  });
  afterEach(async () => {
    await stopNodes();
    await place.close();
  });

  const process = (env: Record<string, string> = {}): Host => createHost({ env: { PIPEWRIGHT_DATABASE_URL: place.address, ...env } });

  /** A node with a clock of its own. A killed process is a node whose clock stands still for ever. */
  function started(config: Config, at = 0, env: Record<string, string> = {}) {
    const clock = new Clock();
    clock.now += at;
    const { scheduler, host, log } = node(clock, config, process(env));
    scheduler.start();
    /** Time goes on there and in the database. */
    const passes = async (ms: number): Promise<void> => {
      await place.pass(ms);
      await clock.reach(clock.now - midnight + ms);
    };
    /** Its turns go on until the check is right. */
    const turns = (check: () => unknown): Promise<unknown> =>
      until(async () => {
        await clock.reach(clock.now - midnight + 200);
        await check();
      });
    return { clock, scheduler, host, log, passes, turns };
  }

  const left = async (): Promise<number> => (await place.node().list({ status: "open" })).length;

  /** The first attempt has failed, and the second one waits in the store; its node gets no more time. */
  async function waiting(config: Config) {
    const first = started(config);
    await first.clock.reach(minute);
    await until(async () => expect(await left()).toBe(1));
    await background(first.host).ended();
    return first;
  }

  test("of nodes that live one makes each attempt", async () => {
    const { config, tried, told } = failing(daily);
    await waiting(config);
    const others = [1, 2, 3].map(() => started(config, 1.5 * minute));
    const turn = (check: () => unknown) =>
      until(async () => {
        for (const { clock } of others) await clock.reach(clock.now - midnight + 200);
        await check();
      });
    expect(tried).toEqual(["1"]);
    await place.pass(minute);
    for (const { clock } of others) clock.now += minute;
    await turn(() => expect(tried).toEqual(["1", "2"]));
    await turn(async () => expect(await left()).toBe(1));
    expect(told).toEqual([]);
    await place.pass(2 * minute);
    for (const { clock } of others) clock.now += 2 * minute;
    await turn(() => expect(told).toEqual([500]));
    expect(tried).toEqual(["1", "2", "3"]);
    expect(await left()).toBe(0);
    const seen = others.flatMap(({ log }) => log.filter((line) => line.includes("scheduled run"))).map((line) => line.split(" 2026")[0]);
    expect(seen.toSorted()).toEqual(["error a scheduled run has failed", "warn a scheduled run has failed: it is tried again"]);
  });

  test("after a restart the same node goes on; the end of the process is no end of the run", async () => {
    const { config, tried, told } = failing(daily, 2);
    const first = await waiting(config);
    first.scheduler.stop();
    await first.host.close();
    expect(told).toEqual([]);
    const second = started(config, 1.5 * minute);
    await second.passes(minute);
    await second.turns(async () => expect(await left()).toBe(0));
    await second.turns(() => expect(tried).toEqual(["1", "2"]));
    expect([told, second.log]).toEqual([[], []]);
  });

  test("a process that ends during an attempt leaves the next one to others", async () => {
    const { config, tried, told } = failing(daily, 2);
    let end = (): void => undefined;
    const interfaces = config.interfaces.map((each) => ({
      ...each,
      run: (cx: Parameters<typeof each.run>[0]) => {
        end();
        return each.run(cx);
      },
    }));
    const ending = started({ ...config, interfaces });
    end = () => ending.scheduler.stop();
    await ending.clock.reach(minute);
    await until(async () => expect(await left()).toBe(1));
    await background(ending.host).ended();
    expect([tried, told]).toEqual([["1"], []]);
    const second = started(config, 1.5 * minute);
    await second.passes(minute);
    await second.turns(() => expect(tried).toEqual(["1", "2"]));
  });

  test("one whose next time has come is dropped, and its failure told", async () => {
    const { config, tried, told } = failing({ ...daily, cron: "1 * * * *" });
    await waiting(config);
    const late = started(config, 62 * minute);
    await late.passes(minute);
    await late.turns(() => expect(told).toEqual([500]));
    expect([tried, await left()]).toEqual([["1"], 0]);
    expect(late.log.filter((line) => line.includes("scheduled run"))).toEqual([
      "error a scheduled run has failed 2026-03-01T00:01:00.000Z",
    ]);
  });

  test("one that a new version makes no more is dropped, and its failure told", async () => {
    await waiting(failing(daily).config);
    const { config, tried, told } = failing({ ...daily, max_attempts: 1 });
    const next = started(config, 1.5 * minute);
    await next.passes(minute);
    await next.turns(() => expect(told).toEqual([500]));
    expect([tried, await left()]).toEqual([[], 0]);
  });

  test("it waits while another node has the right to run", async () => {
    const { config, tried } = failing(daily, 2);
    await waiting(config);
    const right = 'schedule ["t","job"]';
    const second = started(config, 1.5 * minute);
    const agreement = coordinationOf(second.host);
    await until(async () => expect(await agreement.lease(right, "gone", 3_600_000)).toBeGreaterThan(0));
    await second.passes(minute);
    // The attempt was looked at, and put off again.
    await second.turns(async () => expect(Number((await place.node().list({}))[0]?.epoch)).toBeGreaterThan(1));
    expect(tried).toEqual(["1"]);
    for (const epoch of [1, 2, 3]) await agreement.free(right, epoch);
    await second.turns(async () => {
      await place.pass(200);
      expect(tried).toEqual(["1", "2"]);
    });
  });

  test("one that was sealed with another key stays where it is", async () => {
    const { config, tried } = failing(daily);
    const key = Buffer.alloc(32, 1).toString("base64");
    const first = started(config, 0, { PIPEWRIGHT_RUNS_KEY: key });
    await first.clock.reach(minute);
    await until(async () => expect(await left()).toBe(1));
    const second = started(config, 1.5 * minute, { PIPEWRIGHT_RUNS_KEY: Buffer.alloc(32, 2).toString("base64") });
    await second.passes(minute);
    await second.turns(() => expect(second.log.join()).toContain("an attempt of a schedule cannot be read"));
    expect([tried, await left()]).toEqual([["1"], 1]);
  });
});

test("an attempt whose store answers late is kept once", async () => {
  const { config } = failing(daily);
  const clock = new Clock();
  const base = createHost({ env: { PIPEWRIGHT_STATE_DATABASE_URL: "", PIPEWRIGHT_DATABASE_URL: "sqlite::memory:" } });
  const { host, scheduler, log } = node(clock, config, base);
  const memory = new MemoryRuns(host.now);
  const ids: string[] = [];
  host.resource("runs", () =>
    Object.assign(memory, {
      create: async (run: NewRun) => {
        ids.push(run.id);
        const created = await MemoryRuns.prototype.create.call(memory, run);
        if (ids.length < 3) throw new Outage("the connection is lost");
        return created;
      },
    }),
  );
  scheduler.start();
  await clock.reach(minute + 5_000);
  await until(() => expect(ids).toHaveLength(3));
  expect(new Set(ids).size).toBe(1);
  expect(await memory.list({})).toHaveLength(1);
  expect(log).toContain("error schedules: attempts that wait cannot be reached in the store: the connection is lost null");
});
