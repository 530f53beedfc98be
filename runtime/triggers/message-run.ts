import { isTooDeep } from "../outgoing/hops.ts";
import { Execution } from "../run/execution.ts";
import { clientGone, type Refusal, refusals } from "../run/refusals.ts";
import type { Reply } from "../run/response.ts";
import type { Run } from "../run/run.ts";
import { traceAlone } from "../tracing/run-span.ts";

/**
 * Runs an interface for a trigger other than HTTP: the run is traced, counted, bounded in time and concluded, and a shutdown waits for it.
 * `tell` gets the answer for the caller, once: the reply of the run; 202 when the run answers early; 504 when its time is over, and it is
 * cancelled; 499 when the caller has left; 508 when it is too deep and does not start. `stored` gets true when a durable run is in its
 * store or has already ended, and false when the run was refused.
 */
export function beginRun(run: Run, tell: (reply: Reply) => void, stored?: (isStored: boolean) => void): void {
  if (isTooDeep(run.received.hops)) {
    stored?.(false);
    tell(serviceError(refusals.loopDetected));
    return;
  }
  const { host, config, interface: target, input } = run;
  traceAlone(run, host.tracer);
  const finish = config.metrics?.(host).begins({ config: config.name, interface: target.name, trigger: input.trigger });
  const say = (reply: Reply): number => {
    finish?.(reply.status);
    tell(reply);
    return reply.status;
  };
  const asker = {
    answer: (reply: Reply) => {
      stored?.(true);
      return say(reply);
    },
    refuse: (refusal: Refusal) => {
      stored?.(false);
      say(serviceError(refusal));
    },
    gone: () => void say({ status: clientGone, headers: {}, body: "" }),
  };
  // The outcome of an authorizer is its answer, whenever it comes.
  new Execution(run, {
    asker,
    mayBeEarly: input.trigger !== "authorizer",
    ...(stored === undefined ? {} : { stored: () => stored(true) }),
  }).begin();
}

/** The answer of a service in place of a run (spec/surfaces 0). */
const serviceError = ({ status, code }: Refusal): Reply => ({
  status,
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ error: code }),
});
