import type { Host } from "../process/host.ts";
import { workerOf } from "../process/workers/crew.ts";
import type { Trigger } from "../run/interface.ts";
import { unusable } from "../value/unusable.ts";
import { engineOf, resume } from "./durable.ts";
import type { Engine } from "./engine.ts";
import { gaugesOf } from "./gauges.ts";
import { patiently } from "./patience.ts";

/** Claims durable runs of the interfaces of a configuration, in each worker, and hands them over when the process ends. */
export const durableRuns: Trigger = (host, config) => {
  let engine: Engine | undefined;
  let stops: readonly (() => void)[] = [];
  return {
    isShared: true,
    missing: async () => {
      try {
        const own = engineOf(host);
        await patiently(own, own.store.now());
        return [];
      } catch (error) {
        // A store that is away may come back, but one that must not be used is reported. Invalid settings are in a list of their own.
        const refused = unusable(error);
        return refused === undefined ? [] : [refused.message];
      }
    },
    start: () => {
      const own = engineOf(host);
      engine = own;
      for (const gauge of gaugesOf(own)) config.metrics?.(host).gauge(gauge);
      if (!own.isLasting && config.interfaces.some(({ durable }) => durable !== undefined)) warn(host, config.name);
      stops = config.interfaces.flatMap((target) =>
        target.durable === undefined ? [] : [own.serve(target.durable.plans, resume(host, { config, target }))],
      );
    },
    stop: () => {
      for (const stop of stops) stop();
      stops = [];
      // Another version of the configurations may start in this turn and serve their runs.
      setImmediate(() => {
        if (engine?.isServing === false) engine.handOver();
      });
    },
  };
};

/** Warns that runs without a database are lost at the end of the process, though their callers get 202. */
function warn(host: Host, config: string): void {
  // One worker logs the warning for all.
  if ((workerOf(host)?.number ?? 1) !== 1) return;
  const remedy = "set PIPEWRIGHT_DATABASE_URL to sqlite:FILE or postgres://…, or leave out --ephemeral";
  host.log("warn", `durable runs have no database: they are lost when the process ends; ${remedy}`, { config });
}
