import type { Act } from "../../../run/run.ts";

/** A call of a service, whose time is counted for the action where the configuration has metrics. */
export function measured<Result>(act: Act, call: () => Promise<Result>): Promise<Result> {
  const { config, interface: target, host } = act.run;
  if (config.metrics === undefined) return call();
  const meter = config.metrics(host);
  const began = host.monotonic();
  return call().finally(() => {
    meter.called({ config: config.name, interface: target.name, action: act.name }, host.monotonic() - began);
  });
}
