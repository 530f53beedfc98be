import { cronTimes, type NextTime } from "../languages/cron.ts";
import type { Schedule } from "../plan/index.ts";
import type { Host } from "../process/host.ts";
import { type Asker, conclude, Execution } from "../run/execution.ts";
import type { Config, Interface, Scheduler } from "../run/interface.ts";
import { LiveRun } from "../run/live-run.ts";
import { bareRequest } from "../run/request.ts";
import type { Run } from "../run/run.ts";
import { traceAlone } from "../tracing/run-span.ts";
import type { Json } from "../value/json.ts";
import { messageOf, stackOf } from "../value/thrown.ts";
import { Claims, type Owner } from "./schedule/claims.ts";
import { Stay } from "./schedule/stay.ts";
import { Waiting, type WaitingAttempt } from "./schedule/waiting.ts";

/** The longest wait of one timer in milliseconds, because the clock may be changed meanwhile. */
const napMs = 60_000;

/** Milliseconds after which a due time is skipped that was noticed late, because the process was suspended. */
const lateMs = 60_000;

/** Milliseconds: a clock that is put back by more than this was wrong before. */
const wrongClockMs = 86_400_000;

/** An attempt, and the status that its answer would have had. */
interface Attempt {
  readonly run: Run;
  readonly status: number;
  readonly ends: ((status: number) => void) | undefined;
}

/** The status of a durable run that continues elsewhere or later: the schedule does not wait for it. */
const goesOn = 202;

/** A scheduled run has no caller. */
const nobody: Asker = { answer: ({ status }) => status, refuse: () => undefined };

/** Runs the schedules of a config (spec/surfaces 2). */
export function schedules(host: Host, config: Config): Scheduler {
  const claims = new Claims(host);
  const ends = new AbortController();
  const waiting = new Waiting(host, ends.signal);
  const agreement = { claims, waiting, signal: ends.signal };
  const all = config.interfaces.flatMap((target) =>
    target.schedule === undefined ? [] : [new Scheduled(host, config, target, target.schedule, agreement)],
  );
  return {
    missing: () => claims.missing(config.name),
    start: () => {
      for (const schedule of all) void schedule.follow();
      void waiting.follow();
    },
    stop: () => ends.abort(),
  };
}

/** The coordination of a config's schedules with other processes. */
interface Agreement {
  readonly claims: Claims;
  readonly waiting: Waiting;
  /** Aborted when no further run may begin. */
  readonly signal: AbortSignal;
}

/** One interface and the times of its schedule. */
class Scheduled {
  readonly #host: Host;
  readonly #config: Config;
  readonly #target: Interface;
  readonly #schedule: Schedule;
  readonly #claims: Claims;
  readonly #waiting: Waiting;
  readonly #signal: AbortSignal;
  readonly #next: NextTime;
  readonly #owner: Owner;

  constructor(host: Host, config: Config, target: Interface, schedule: Schedule, { claims, waiting, signal }: Agreement) {
    this.#host = host;
    this.#config = config;
    this.#target = target;
    this.#schedule = schedule;
    this.#claims = claims;
    this.#waiting = waiting;
    this.#signal = signal;
    this.#next = cronTimes(schedule.cron, schedule.timezone ?? "UTC");
    this.#owner = { config: config.name, interface: target.name };
    // An earlier version of the configuration may have left an attempt, which this one ends.
    waiting.serve(this.#owner, (attempt, accept) => this.#resume(attempt, accept), (schedule.max_attempts ?? 1) > 1);
  }

  /** Begins a run at each time, until the signal aborts. */
  async follow(): Promise<void> {
    let last = this.#host.now();
    for (let next = this.#next(last); next !== undefined; next = this.#next(last)) {
      if (!(await this.#reaches(next))) return;
      const now = this.#host.now();
      if (now < next) last = now;
      else if (now - next > lateMs) {
        this.#skip(next, "its time was missed");
        last = now;
      } else {
        void this.#tick(next);
        last = next;
      }
    }
  }

  /** Waits until the clock shows this time, or turns out to be wrong; false when the schedule was stopped first. */
  async #reaches(time: number): Promise<boolean> {
    const began = this.#host.now();
    for (let now = began; now < time && began - now < wrongClockMs; now = this.#host.now()) {
      if (!(await this.#waits(Math.min(time - now, napMs)))) return false;
    }
    return !this.#signal.aborted;
  }

  /** Waits; false when the schedule was stopped meanwhile. */
  #waits(ms: number): Promise<boolean> {
    return this.#host.sleep(ms, this.#signal).then(
      () => true,
      () => false,
    );
  }

  /** Runs the interface for one due time, if no other node has taken it and the run before has ended. Never rejects. */
  async #tick(at: number): Promise<void> {
    const stay = new Stay(this.#host);
    const release = await this.#begin(at);
    try {
      if (release !== undefined) await this.#attempts(at, stay);
    } catch (error) {
      this.#bug(error);
    }
    await release?.().catch(() => undefined); // the right expires by itself
    stay.leave();
  }

  /**
   * Takes the exclusive right to run for this time; the result gives it back. Undefined when another node has it, or a run is under way.
   */
  async #begin(at: number): Promise<(() => Promise<void>) | undefined> {
    try {
      if (!(await this.#claims.take(this.#owner, at))) return undefined;
      const release = await this.#claims.lease(this.#owner);
      if (release === undefined) this.#skip(at, "the run before has not ended");
      return release;
    } catch (error) {
      this.#skip(at, `whether another node runs it is not known: ${messageOf(error)}`);
      return undefined;
    }
  }

  /** Makes an attempt that has waited in the store. False when the exclusive right to run is not free yet. */
  async #resume(attempt: WaitingAttempt, accept: () => Promise<boolean>): Promise<boolean> {
    if (this.#signal.aborted) return false;
    const stay = new Stay(this.#host);
    const { at, number, before = Number.POSITIVE_INFINITY } = attempt;
    let release: (() => Promise<void>) | undefined;
    try {
      const isMade = this.#host.now() < before && number <= (this.#schedule.max_attempts ?? 1);
      if (isMade) release = await this.#claims.lease(this.#owner);
      if (isMade && release === undefined) return false;
      if (!(await accept())) return true;
      if (isMade) await this.#attempts(at, stay, number);
      else this.#drop(attempt);
      return true;
    } finally {
      await release?.().catch(() => undefined); // the right expires by itself
      stay.leave();
    }
  }

  /** Ends a time whose next attempt comes too late, after the next time: the attempt before was its last. */
  #drop({ at, run, status }: WaitingAttempt): void {
    const last = new LiveRun(this.#host, this.#config, this.#target, { ...bareRequest(this.#host, "schedule"), id: run });
    const ends = this.#config.metrics?.(this.#host).begins({ ...this.#owner, trigger: "schedule" });
    this.#end({ run: last, status, ends }, at);
  }

  /**
   * Makes attempts until one succeeds; only the last one counts as the run of this time. With a lasting store, each attempt waits there.
   */
  async #attempts(at: number, stay: Stay, first = 1): Promise<void> {
    for (let number = first; ; number++) {
      const wait = await this.#attempt(at, number, stay);
      if (wait === undefined) return;
      const { attempt, ms } = wait;
      const { run, status } = attempt;
      this.#host.log("warn", "a scheduled run has failed: it is tried again", {
        ...this.#told(at),
        run_uuid: run.id,
        http_code: status,
        attempt: number,
        retry_in_ms: ms,
      });
      const before = this.#next(this.#host.now());
      const where = await this.#waiting.keep(this.#owner, { at, number: number + 1, before, run: run.id, status }, ms);
      if (where === "kept") return;
      if (where === "here" && (await this.#waits(ms))) continue;
      this.#end(attempt, at);
      return;
    }
  }

  /** Makes an attempt. Gives the milliseconds until the next one; undefined when it was the last, which is then concluded. */
  #attempt(at: number, number: number, stay: Stay): Promise<{ readonly attempt: Attempt; readonly ms: number } | undefined> {
    const run = new LiveRun(this.#host, this.#config, this.#target, {
      ...bareRequest(this.#host, "schedule"),
      params: { scheduled_at: new Date(at).toISOString(), attempt: String(number) },
    });
    traceAlone(run, this.#host.tracer);
    const ends = this.#config.metrics?.(this.#host).begins({ ...this.#owner, trigger: "schedule" });
    return new Promise((resolve) => {
      const conclude = (status: number): void => {
        stay.again();
        run.span?.endWith(status);
        const attempt = { run, status, ends };
        const ms = status < 400 ? undefined : this.#patience(number);
        if (ms === undefined) this.#end(attempt, at);
        resolve(ms === undefined ? undefined : { attempt, ms });
      };
      const left = (): void => {
        stay.again();
        run.span?.endWith(goesOn);
        ends?.(goesOn);
        resolve(undefined);
      };
      stay.during(() => new Execution(run, { asker: nobody, hasDeadline: false, conclude, left }).begin());
    });
  }

  /** Milliseconds until another attempt; undefined when there is none, or when the next due time comes first. */
  #patience(number: number): number | undefined {
    const { max_attempts = 1, retry_backoff_seconds = 60, retry_backoff_multiplier = 2, max_backoff_seconds = 3600 } = this.#schedule;
    // A process that ends leaves the attempt to other processes.
    if (number >= max_attempts || (this.#signal.aborted && !this.#waiting.isLasting)) return undefined;
    const ms = Math.min(retry_backoff_seconds * retry_backoff_multiplier ** (number - 1), max_backoff_seconds) * 1000;
    const now = this.#host.now();
    const next = this.#next(now);
    return next !== undefined && now + ms >= next ? undefined : ms;
  }

  #end({ run, status, ends }: Attempt, at: number): void {
    ends?.(status);
    this.#config.metrics?.(this.#host).scheduled(this.#owner, status < 400 ? "succeeded" : "failed");
    if (status >= 400) this.#host.log("error", "a scheduled run has failed", { ...this.#told(at), ...run.place, http_code: status });
    conclude(run, status);
  }

  #bug(error: unknown): void {
    this.#host.log("critical", "unexpected error in a run", { ...this.#owner, stack: stackOf(error) });
  }

  #skip(at: number, reason: string): void {
    this.#config.metrics?.(this.#host).scheduled(this.#owner, "skipped");
    this.#host.log("warn", `a scheduled run is skipped: ${reason}`, this.#told(at));
  }

  #told(at: number): Record<string, Json> {
    return { ...this.#owner, scheduled_at: new Date(at).toISOString() };
  }
}
