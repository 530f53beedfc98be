import type { Caller } from "../network/gate.ts";
import type { Host } from "../process/host.ts";
import type { Target } from "../run/interface.ts";
import type { Reply } from "../run/response.ts";

export interface DenialOptions {
  /** True when no run follows for this caller, so that the question does not count towards limits. */
  readonly probe?: boolean;
  /** Called with the name of the rule that refuses a caller. */
  readonly denied?: (rule: string) => void;
}

/** The answer with which an interface's network policy refuses a caller; undefined admits the caller. A denial is counted. */
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
