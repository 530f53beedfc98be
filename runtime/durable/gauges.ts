import type { WatchedGauge } from "../metrics/meter.ts";
import { stuckMs } from "../store/run-orders.ts";
import { maxListed } from "../store/runs.ts";
import type { Engine } from "./engine.ts";

/** The gauges of durable runs. The last gauge asks the store whenever a client reads the metrics. */
export function gaugesOf(engine: Engine): readonly WatchedGauge[] {
  return [
    { name: "pipewright_durable_runs", help: "Durable runs that the process holds.", value: () => engine.held },
    {
      name: "pipewright_durable_store_up",
      help: "1 while the store of durable runs answers, else 0.",
      of: "min",
      value: () => (engine.health.isAnswered ? 1 : 0),
    },
    {
      name: "pipewright_durable_runs_stuck",
      help: `Durable runs that cannot be read, and those due for a minute with which no process goes on; ${maxListed} of these at most.`,
      of: "max",
      value: () => stuck(engine),
    },
  ];
}

/** The number of stuck runs; undefined while the store does not answer: the metric keeps its last value. */
async function stuck({ store, health, unread }: Engine): Promise<number | undefined> {
  if (!health.isAnswered) return undefined;
  try {
    return (await store.list({ dueBefore: (await store.now()) - stuckMs, limit: maxListed })).length + unread.count;
  } catch {
    return undefined;
  }
}
