import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test, vi } from "vitest";
import { Recorder } from "#runtime/capture/recorder.ts";
import type { Entry, History, WindowKey } from "#runtime/capture/recording.ts";
import { Window } from "#runtime/capture/window.ts";
import { prometheus } from "#runtime/metrics/prometheus.ts";
import type { CapturePlan } from "#runtime/plan/index.ts";
import { createHost, type Host } from "#runtime/process/host.ts";
import type { Config } from "#runtime/run/interface.ts";
import { configOf } from "../../harness/sockets.ts";
import { until } from "../../harness/until.ts";

// How runs come to their store (spec/surfaces 16): beside the runs, in order, bounded; and where a bounded capture ends.

interface World {
  readonly host: Host;
  readonly recorder: Recorder;
  readonly config: Config;
  readonly written: string[];
  readonly log: string[];
  /** The failure of the store, in place of its work. */
  fails: (() => Promise<never>) | undefined;
  prunes: () => Promise<void>;
  now: number;
  readonly window: (settings: CapturePlan, name?: string) => Window;
  readonly metrics: () => Promise<string>;
}

const hosts: Host[] = [];
afterEach(async () => {
  vi.useRealTimers();
  await Promise.all(hosts.splice(0).map((host) => host.close()));
});

/** A store that several recorders may share. */
function memory(written: string[], counts = new Map<string, { started: number; runs: number }>()) {
  const nameOf = ({ config, interface: target, bundle }: WindowKey): string => JSON.stringify([config, target, bundle]);
  return {
    write: async (entries: readonly Entry[]) => void written.push(...entries.map(({ run_uuid }) => run_uuid)),
    count: async (key: WindowKey, runs: number, now: number) => {
      const found = counts.get(nameOf(key)) ?? { started: now, runs: 0 };
      counts.set(nameOf(key), { started: found.started, runs: found.runs + runs });
      return { started: found.started, before: found.runs };
    },
  };
}

function world(store = memory([]), written: string[] = []): World {
  const log: string[] = [];
  const made = createHost({ env: {}, log: (level, msg, fields) => log.push(`${level} ${msg} ${JSON.stringify(fields ?? {})}`) });
  const host: Host = { ...made, now: () => self.now };
  hosts.push(made);
  const asked = async <T>(answer: () => Promise<T>): Promise<T> => (self.fails === undefined ? answer() : self.fails());
  const history: History = {
    write: (entries) => asked(() => store.write(entries)),
    count: (key, runs, now) => asked(() => store.count(key, runs, now)),
    list: async () => ({ runs: [], next: null }),
    records: async () => ({ runs: [], next: null }),
    find: async () => undefined,
    prune: () => self.prunes(),
    close: () => void log.push("closed"),
  };
  const recorder = made.resource("recorder", () => new Recorder(host, history));
  const config: Config = { ...configOf(), metrics: () => prometheus(made) };
  const self: World = {
    host,
    recorder,
    config,
    written,
    log,
    fails: undefined,
    prunes: async () => undefined,
    now: 0,
    window: (settings, name = "i") => new Window(settings, { config: "c", interface: name, bundle: "b" }, host),
    metrics: async () => {
      const url = await prometheus(made).listen("127.0.0.1", 0);
      return (await fetch(url)).text();
    },
  };
  return self;
}

const fresh = (): World => {
  const written: string[] = [];
  return world(memory(written), written);
};

const entry = (n: number, at = 0, text = "{}"): Entry => ({
  run_uuid: String(n),
  parent: null,
  config: "c",
  interface: "i",
  trigger: "http",
  started: "",
  ms: 0,
  status: 200,
  at,
  text,
});

/** Ends a run as runtime/capture/capture.ts does. */
function ends(one: World, window: Window, n: number, status = 200): void {
  if (window.over) return;
  if (!window.takes(status)) {
    if (window.isBounded) one.recorder.finished(window);
  } else if (one.recorder.isFull) one.recorder.drop(window, one.config);
  else one.recorder.add(window, one.config, entry(n, one.now));
}

describe("the queue", () => {
  test("is written soon, in order, and without anybody waiting", async () => {
    const one = fresh();
    const window = one.window({ mode: "all" });
    for (let i = 0; i < 250; i++) ends(one, window, i);
    expect(one.written).toEqual([]);
    await until(() => expect(one.written).toEqual(Array.from({ length: 250 }, (_, i) => String(i))));
  });

  test("is written when the process ends", async () => {
    const one = fresh();
    for (let i = 0; i < 3; i++) ends(one, one.window({ mode: "all" }), i);
    await one.host.close();
    expect(one.written).toEqual(["0", "1", "2"]);
    expect(one.log).toEqual(["closed"]);
  });

  test("ends when the store has removed what is too old", async () => {
    const one = fresh();
    one.prunes = async () => {
      await sleep(50);
      one.log.push("removed");
    };
    one.recorder.begin(one.window({ mode: "all" }));
    await one.host.close();
    expect(one.log).toEqual(["removed", "closed"]);
  });

  test("holds a thousand runs; what comes then is dropped, counted and told of once a minute", async () => {
    const one = fresh();
    one.fails = () => new Promise(() => undefined);
    const window = one.window({ mode: "all" });
    for (let i = 0; i < 1_010; i++) ends(one, window, i);
    expect(one.log).toEqual(['warn captured runs are lost: the store is too slow {"lost":1}']);
    expect(await one.metrics()).toContain('pipewright_capture_dropped_total{config="t"} 10\n');
  });

  test("holds no more than so many bytes", () => {
    const one = fresh();
    const window = one.window({ mode: "all" });
    const text = "x".repeat(262_144);
    for (let i = 0; i < 256; i++) {
      expect(one.recorder.isFull).toBe(false);
      one.recorder.add(window, one.config, entry(i, 0, text));
    }
    expect(one.recorder.isFull).toBe(true);
  });

  test("waits for a store that does not answer, longer each time, and tells of it once", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const one = fresh();
    let asked = 0;
    one.fails = async () => {
      asked += 1;
      throw new Error("no disk");
    };
    ends(one, one.window({ mode: "all" }), 1);
    const times: number[] = [];
    for (let at = 0; at < 120_000; at += 100) {
      const before = asked;
      await vi.advanceTimersByTimeAsync(100);
      if (asked > before) times.push(at + 100);
    }
    expect(times.slice(0, 5)).toEqual([100, 1_100, 3_100, 7_100, 15_100]);
    expect(Math.max(...times.map((time, i) => time - (times[i - 1] ?? 0)))).toBe(30_000);
    expect(one.log).toEqual(["warn captured runs cannot be stored, it is tried again: no disk {}"]);
    one.fails = undefined;
    await vi.advanceTimersByTimeAsync(30_000);
    expect(one.written).toEqual(["1"]);
  });

  test("a store that does not answer does not keep a process from ending", async () => {
    const one = fresh();
    one.fails = async () => {
      throw new Error("no disk");
    };
    for (let i = 0; i < 3; i++) ends(one, one.window({ mode: "all" }), i);
    await one.host.close();
    expect(one.log).toEqual([
      "warn captured runs cannot be stored, it is tried again: no disk {}",
      'warn captured runs are lost: the process has ended {"lost":3}',
      "closed",
    ]);
  });
});

describe("a bounded capture", () => {
  test("of so many runs counts those of all processes, recorded or not", async () => {
    const written: string[] = [];
    const store = memory(written);
    const [one, other] = [world(store, written), world(store, written)];
    const windows = [one, other].map((each) => each.window({ mode: "errors", for_runs: 6 })) as [Window, Window];
    for (const [n, status] of [200, 500, 200].entries()) ends(one, windows[0], n, status);
    await one.recorder.close();
    for (const [n, status] of [500, 500, 500, 500, 500].entries()) ends(other, windows[1], 10 + n, status);
    await other.recorder.close();
    // The second process could not know before that three had ended.
    expect(written).toEqual(["1", "10", "11", "12"]);
    expect(windows[1].over).toBe(true);
  });

  test("of so many minutes begins with the first process that serves", async () => {
    const written: string[] = [];
    const counts = new Map();
    const store = memory(written, counts);
    const [one, other] = [world(store, written), world(store, written)];
    one.now = 1_000;
    const first = one.window({ mode: "all", for_minutes: 1 });
    one.recorder.begin(first);
    await until(() => expect([...counts.values()]).toEqual([{ started: 1_000, runs: 0 }]));
    other.now = 50_000;
    const second = other.window({ mode: "all", for_minutes: 1 });
    ends(other, second, 1);
    other.now = 61_000;
    // By its own clock it has lasted only 11 seconds, but the store knows better.
    ends(other, second, 2);
    await other.recorder.close();
    expect(written).toEqual(["1"]);
    expect(second.over).toBe(true);
  });

  test.each<[CapturePlan, boolean[]]>([
    [{ mode: "all", for_minutes: 2 }, [false, true, true]],
    [{ mode: "all", for_minutes: 1 }, [true, true, true]],
    [{ mode: "all", for_minutes: 10, for_runs: 1 }, [true, true, true]],
    [{ mode: "all", for_minutes: 10, for_runs: 2 }, [false, true, true]],
    [{ mode: "all" }, [false, false, false]],
  ])("%j ends with what comes first", async (settings, over) => {
    const one = fresh();
    const window = one.window(settings);
    expect(
      over.map((_, minute) => {
        ends(one, window, minute);
        one.now += 60_000;
        return window.over;
      }),
    ).toEqual(over);
    // The window does not begin again when the clock is put back.
    one.now = 0;
    expect(window.over).toBe(over[2]);
  });

  test("asks again what a store did not answer, and counts nothing twice", async () => {
    const one = fresh();
    const window = one.window({ mode: "all", for_runs: 4 });
    let wrong = 2;
    one.fails = async () => {
      wrong -= 1;
      // Meanwhile further runs end.
      ends(one, window, 10 + wrong);
      if (wrong === 0) one.fails = undefined;
      throw new Error("not now");
    };
    ends(one, window, 1);
    await until(() => expect(one.written).toEqual(["1", "11", "10"]));
    ends(one, window, 4);
    ends(one, window, 5);
    await one.host.close();
    expect(one.written).toEqual(["1", "11", "10", "4"]);
  });
});
