import type { Schedule } from "#runtime/plan/index.ts";
import { createHost, type Host } from "#runtime/process/host.ts";
import type { Config, Scheduler } from "#runtime/run/interface.ts";
import { schedules } from "#runtime/triggers/schedule.ts";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import { configOf, served } from "../../harness/sockets.ts";

/** A minute. */
export const minute = 60_000;

/** The time at which the clock stands. */
export const midnight = Date.parse("2026-03-01T00:00:00Z");

/** A clock that stands still until it is told to go on. */
export class Clock {
  now = midnight;
  #sleepers: { readonly at: number; readonly wake: () => void }[] = [];

  readonly sleep = (ms: number, signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      if (signal.aborted) reject(new Error("aborted"));
      const sleeper = { at: this.now + ms, wake: resolve };
      signal.addEventListener("abort", () => reject(new Error("aborted")));
      this.#sleepers.push(sleeper);
    });

  /** Goes on to this time after midnight, and stops at each timer on the way. */
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
export const quiet = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5));

const open: { readonly scheduler: Scheduler; readonly host: Host }[] = [];

/** Stops the schedulers of a test. */
export async function stopNodes(): Promise<void> {
  for (const { scheduler, host } of open.splice(0)) {
    scheduler.stop();
    await host.close();
  }
}

interface Node {
  readonly host: Host;
  readonly scheduler: Scheduler;
  readonly log: string[];
}

/** A process whose clock the test moves. */
export function node(clock: Clock, config: Config, base: Host = createHost({ env: {} })): Node {
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
export function job(schedule: Schedule, run: (seen: JsonObject) => Json | Promise<Json>): Config {
  const { http: _, ...target } = served("POST", "/job", (cx) => run({ trigger: cx.input.trigger, params: cx.params }));
  return configOf({ ...target, name: "job", output: "none", schedule });
}
