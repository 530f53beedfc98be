import type { Act } from "../../run/run.ts";
import { number, object } from "../../shapes/shape.ts";
import { longestDelay } from "../../value/duration.ts";
import { Failure } from "../../value/failure.ts";
import type { Json } from "../../value/json.ts";
import type { Action } from "../feature.ts";

/**
 * Waits, and gives `{delayed_ms}`; ends early when the run is cancelled. A delay of more than `PIPEWRIGHT_MAX_DELAY_SECS` fails, except
 * in a durable run, which leaves the process meanwhile (spec/language 5.3).
 */
export async function delay(act: Act, ms: number | null): Promise<Json> {
  const { host, journal } = act.run;
  const cap = host.limits.maxDelayMs;
  if (ms === null) throw new Failure("evaluation", "field delay: expected duration, got null");
  if (ms > cap) {
    const most = journal?.isLasting === true ? longestDelay : cap;
    if (journal === undefined || ms > most) throw new Failure("evaluation", `delay ${ms}ms exceeds the limit of ${most}ms`);
    await journal.pause(act, ms);
    return { delayed_ms: ms };
  }
  const wait = host.sleep(ms, act.signal);
  await (journal?.rests(act, wait) ?? wait).catch(() => {
    throw new Failure("evaluation", "delay cancelled");
  });
  return { delayed_ms: ms };
}

export const spec: Action<number | null> = {
  summary: "Wait for a fixed time.",
  schema: { type: ["string", "number"], format: "duration", description: "How long to wait, such as 30s; a number is milliseconds." },
  effect: "clock",
  origin: "configuration",
  run: delay,
  shape: () => object({ delayed_ms: number }),
};
