import { background } from "./background.ts";
import type { Host } from "./host.ts";
import type { ErrorHandler, Interface } from "./interface.ts";
import type { JsonObject } from "./json.ts";
import { longestWait } from "./lib/longest-wait.ts";
import { stackOf } from "./lib/stack-of.ts";
import { LiveRun } from "./live-run.ts";
import { reply, wholeEntries } from "./reply.ts";
import { bareRequest } from "./request.ts";
import type { Run } from "./run.ts";
import { record } from "./run-log.ts";
import { attributesOf } from "./tracing/of-run.ts";

/**
 * Starts the handler of a config when a run has failed (language.md 7.8): after its status is known, beside its answer, never for the run of a
 * handler. What goes wrong with the handler is logged and nothing else.
 */
export function raise(run: Run, status: number, data: JsonObject = wholeEntries(run)): void {
  const { host, config } = run;
  const handler = config.on_error;
  if (handler === undefined || unheard.has(run.input.trigger) || !counts(handler, status)) return;
  const target = config.interfaces.find(({ name }) => name === handler.interface);
  if (target === undefined) return;
  const said = { config: config.name, interface: run.interface.name, run_uuid: run.id };
  const skipped = budget(host, config.name).take(handler.max_per_minute ?? 12, host.monotonic());
  if (skipped > 0) {
    config.metrics?.(host).skipped(config.name);
    host.log("warn", "on_error is over its budget: the handler is not run", { ...said, http_code: status, skipped });
    return;
  }
  const body = { ...said, http_code: status, at: new Date(host.now()).toISOString(), data };
  background(host).later(() => handle(run, target, body));
}

/** Runs whose failure starts no other: a handler would start itself for ever, an authorizer fails by design. */
const unheard: ReadonlySet<string> = new Set(["on_error", "authorizer"]);

const counts = ({ status: wanted }: ErrorHandler, status: number): boolean =>
  wanted === undefined ? status < 200 || status > 299 : wanted.includes(status);

function handle(failed: Run, target: Interface, body: JsonObject): void {
  const { host, config, span } = failed;
  const run = new LiveRun(host, config, target, {
    ...bareRequest(host, "on_error"),
    parent: failed.id,
    hops: failed.received.hops ?? 0,
    body,
  });
  run.span = span?.child(target.name, attributesOf(run));
  const told = run.place;
  const bug = (error: unknown): void =>
    host.log("critical", "unexpected error in a run", {
      ...told,
      stack: stackOf(error),
    });
  try {
    run.start();
  } catch (error) {
    bug(error);
    return;
  }
  const timer = setTimeout(() => run.cancel("run timed out"), Math.min(host.limits.runTimeoutMs, longestWait));
  background(host).follow(run, () => {
    clearTimeout(timer);
    try {
      const { status } = reply(run);
      run.span?.endWith(status);
      record(run, status);
      if (status >= 400) host.log("error", "the handler of on_error has failed", { ...told, http_code: status });
    } catch (error) {
      bug(error);
    }
  });
}

/** Handlers that were started in the last minute, and how many were not since. */
class Budget {
  #started: number[] = [];
  #skipped = 0;

  /** 0 when one more may start, else how many have been skipped in a row. `now` in milliseconds. */
  take(most: number, now: number): number {
    this.#started = this.#started.filter((at) => now - at < 60_000);
    if (this.#started.length >= most) {
      this.#skipped += 1;
      return this.#skipped;
    }
    this.#skipped = 0;
    this.#started.push(now);
    return 0;
  }

  close(): void {
    // Nothing is open.
  }
}

const budget = (host: Host, config: string): Budget => host.resource(`on_error ${config}`, () => new Budget());
