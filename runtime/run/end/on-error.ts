import type { Host } from "../../process/host.ts";
import { attributesOf } from "../../tracing/run-span.ts";
import type { JsonObject } from "../../value/json.ts";
import type { ErrorHandler, Interface } from "../interface.ts";
import { LiveRun } from "../live-run.ts";
import { bareRequest } from "../request.ts";
import type { Run } from "../run.ts";
import { wholeEntries } from "./reply.ts";

/**
 * Makes the run of a config's handler for a failed run (spec/language 7.8); undefined when there is nothing to handle. The handler's run
 * begins once the status of the failed run is known, while the failed run is answered. The run of a handler has no handler itself.
 */
export function handlerOf(run: Run, status: number, data?: JsonObject): (() => Run) | undefined {
  const { host, config } = run;
  const handler = config.on_error;
  if (handler === undefined || unheard.has(run.input.trigger) || !counts(handler, status)) return undefined;
  const target = config.interfaces.find(({ name }) => name === handler.interface);
  if (target === undefined) return undefined;
  const source = { config: config.name, interface: run.interface.name, http_code: status, run_uuid: run.id };
  const skipped = budget(host, config.name).take(handler.max_per_minute ?? 12, host.monotonic());
  if (skipped > 0) {
    config.metrics?.(host).skipped(config.name);
    host.log("warn", "on_error is over its budget: the handler is not run", { ...source, skipped });
    return undefined;
  }
  const body = { ...source, at: new Date(host.now()).toISOString(), data: data ?? wholeEntries(run) };
  return () => handlerRun(run, target, body);
}

/** Triggers whose failed runs start no handler: a handler would start itself for ever, and an authorizer fails by design. */
const unheard: ReadonlySet<string> = new Set(["on_error", "authorizer"]);

const counts = ({ status: statuses }: ErrorHandler, status: number): boolean =>
  statuses === undefined ? status < 200 || status > 299 : statuses.includes(status);

function handlerRun({ host, config, span, id, received }: Run, target: Interface, body: JsonObject): Run {
  const run = new LiveRun(host, config, target, { ...bareRequest(host, "on_error"), parent: id, hops: received.hops ?? 0, body });
  run.span = span?.child(target.name, attributesOf(run));
  return run;
}

/** Counts the handlers that were started in the last minute, and those that were skipped since. */
class Budget {
  #started: number[] = [];
  #skipped = 0;

  /** Takes one start at `now` (milliseconds). Gives 0 when the handler may start, else how many starts in a row were refused. */
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
    // A budget holds no resource that must be closed.
  }
}

const budget = (host: Host, config: string): Budget => host.resource(`on_error ${config}`, () => new Budget());
