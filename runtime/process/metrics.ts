import { background } from "../run/end/background.ts";
import type { Config } from "../run/interface.ts";
import type { Host } from "./host.ts";
import type { Settings } from "./settings/options.ts";
import type { Worker } from "./workers/worker.ts";

/**
 * Serves the metrics of the configurations that have some. Lists the reasons why they cannot be served although an operator has chosen the
 * address.
 */
export async function serveMetrics(
  host: Host,
  configs: readonly Config[],
  { metricsBind: bind, worker }: Pick<Partial<Settings>, "metricsBind"> & { readonly worker?: Worker | undefined },
  all?: () => Promise<readonly unknown[]>,
): Promise<readonly string[]> {
  const [meter] = configs.flatMap(({ metrics }) => metrics?.(host) ?? []);
  if (meter === undefined || bind === undefined) return [];
  meter.watch(() => background(host).detached);
  worker?.measures(meter);
  // The first process serves the metrics of its workers.
  if (worker !== undefined) return [];
  try {
    host.log("info", "metrics", { url: await meter.listen(bind.address, bind.port, all) });
    return [];
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException; // the socket alone can fail
    const problem = `PIPEWRIGHT_METRICS_BIND: ${bind.address}:${bind.port} cannot be used: ${code ?? message}`;
    if (bind.chosen) return [problem];
    host.log("warn", `metrics are not served: ${problem}`);
    return [];
  }
}
