import type { Caller } from "../network/gate.ts";
import type { Host } from "../process/host.ts";
import type { Target } from "../run/interface.ts";
import type { Reply } from "../run/response.ts";

export interface DenialOptions {
  /** True when nothing is run for this caller, so that it does not count towards limits. */
  readonly probe?: boolean;
  /** Gets the name of the rule by which a caller is turned away. */
  readonly denied?: (rule: string) => void;
}

/** The answer of an interface's network policy to a caller that it turns away; undefined lets the caller in. A denial is counted. */
export function denialOf(
  { config, interface: target }: Target,
  caller: Caller,
  host: Host,
  { probe = false, denied }: DenialOptions = {},
): Reply | undefined {
  if (target.network === undefined) return undefined;
  const turnedAway = (rule: string): void => {
    config.metrics?.(host).denied(rule);
    denied?.(rule);
  };
  return target.network.judge(caller, { host, config: config.name, interface: target.name, probe, denied: turnedAway });
}
