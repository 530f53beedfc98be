import type { Meter } from "../metrics/meter.ts";
import type { Host } from "../process/host.ts";
import type { Config } from "../run/interface.ts";
import { figuresOf } from "./figures.ts";

/** Configs whose runs are counted for the console, in addition to their own metrics. */
export const counted = (configs: readonly Config[]): readonly Config[] =>
  configs.map((config) => {
    const meters = new WeakMap<Host, Meter>();
    return {
      ...config,
      metrics: (host) => {
        const earlier = meters.get(host);
        if (earlier !== undefined) return earlier;
        const meter = beside(host, config.metrics?.(host));
        meters.set(host, meter);
        return meter;
      },
    };
  });

/** A meter that counts runs for the console, and passes everything on to the configuration's own meter. */
function beside(host: Host, own: Meter | undefined): Meter {
  return {
    begins: (of) => {
      const ends = [own?.begins(of), figuresOf(host).begins(of)];
      return (status) => {
        for (const end of ends) end?.(status);
      };
    },
    called: (of, ms) => own?.called(of, ms),
    asked: (of, tokens) => own?.asked(of, tokens),
    denied: (rule) => own?.denied(rule),
    skipped: (config) => own?.skipped(config),
    uncaptured: (config) => own?.uncaptured(config),
    gauge: (gauge) => own?.gauge(gauge),
    watchBus: (report) => own?.watchBus(report),
    scheduled: (of, result) => own?.scheduled(of, result),
    connected: (change) => own?.connected(change),
    dropped: () => own?.dropped(),
    watch: (detached) => own?.watch(detached),
    record: (of, measurement) => own?.record(of, measurement),
    values: async () => own?.values() ?? [],
    listen: (address, port, all) => own?.listen(address, port, all) ?? Promise.reject(new Error("there are no metrics")),
    close: () => own?.close(),
  };
}
