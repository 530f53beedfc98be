import type { Counter, Registry } from "prom-client";

/** Makes the counter of lost messages, once; `lost` is called whenever a client reads the metrics. The class is that of the package. */
export function countLost(Class: typeof Counter, registry: Registry, lost: () => number): void {
  const [name, registers] = ["pipewright_bus_lost_total", [registry]];
  if (registry.getSingleMetric(name) !== undefined) return;
  new Class({
    name,
    help: "Messages of channels and MQTT that some node may never have heard.",
    registers,
    collect() {
      this.reset();
      this.inc(lost());
    },
  });
}
