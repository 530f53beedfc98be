import type { Host } from "../process/host.ts";
import type { Config, Interface } from "../run/interface.ts";
import { LiveRun } from "../run/live-run.ts";
import { bareRequest } from "../run/request.ts";
import type { Json } from "../value/json.ts";

/** An interface with a trigger, and the settings of the trigger in the configuration. */
export interface Bound {
  readonly target: Interface;
  readonly settings: Json;
}

/**
 * The interfaces of a configuration that have the trigger of this name. The call fills markers in their settings from the environment.
 * Throws `Failure`.
 */
export const bound = (host: Host, config: Config, trigger: string): readonly Bound[] =>
  config.interfaces.flatMap((target) => {
    const settings = target.triggers?.[trigger];
    return settings === undefined ? [] : [{ target, settings: settings(new LiveRun(host, config, target, bareRequest(host, trigger))) }];
  });
