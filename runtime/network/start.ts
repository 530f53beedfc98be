import { workerOf } from "../process/workers/crew.ts";
import type { Sight } from "./client.ts";
import type { PolicyRequest } from "./gate.ts";
import type { Places } from "./places.ts";
import type { Level } from "./rules.ts";

/** Logs a warning: once for the configuration where only its own `network` is the cause, else for the interface. */
function warn(levels: readonly Level[], message: string, { host, config, interface: name }: PolicyRequest): void {
  if (levels.some(([level]) => level === "interface")) {
    host.log("warn", message, { config, interface: name });
    return;
  }
  // Each interface of a configuration would repeat a warning about its `network`.
  const { before } = host.resource("network warnings", () => ({ before: new Set<string>(), close: () => undefined }));
  const key = `${config}\0${message}`;
  if (!before.has(key)) host.log("warn", message, { config });
  before.add(key);
}

/** Logs a warning at start when a list or limit depends on a header that any caller can write (spec/surfaces 9). */
export function weakness({ source, proxies }: Sight, levels: readonly Level[], request: PolicyRequest): void {
  const { host } = request;
  const limited = levels.filter(([, { limit }]) => limit !== undefined);
  if (workerOf(host)?.number === 1 && host.env("PIPEWRIGHT_CLUSTERED") !== "true" && limited.length > 0)
    warn(limited, "network: rate_limit is counted by each worker for itself", request);
  if (source === "socket" || proxies !== undefined) return;
  const rests = new Set(
    levels.flatMap(([, { ip, geo, asn, limit }]) => [
      // With `deny_check: all` the peer and every hop are checked, too: a forged header removes none of them.
      ...(ip.deny === undefined || ip.checksAll ? [] : ["ip.deny"]),
      ...((geo?.deny.size ?? 0) === 0 ? [] : ["geo.deny"]),
      ...((asn?.deny.size ?? 0) === 0 ? [] : ["asn.deny"]),
      ...(ip.allow === undefined ? [] : ["ip.allow"]),
      ...(geo?.allow === undefined ? [] : ["geo.allow"]),
      ...(asn?.allow === undefined ? [] : ["asn.allow"]),
      ...(limit === undefined ? [] : ["rate_limit"]),
    ]),
  );
  if (rests.size === 0) return;
  const header = source === "real_ip" ? "x-real-ip" : "x-forwarded-for";
  const remedy = "set trusted_proxies, or source: socket";
  warn(levels, `network: a caller can forge ${header}, which decides ${[...rests].join(", ")}: ${remedy}`, request);
}

/** The parts of a policy that can be missing. */
interface Parts {
  readonly levels: readonly Level[];
  readonly mode: "enforce" | "monitor";
  readonly places: Places | undefined;
}

const markers = { geo: "a|ip::country|", asn: "a|ip::asn|" } as const;

/**
 * The reasons why the process must not start (spec/surfaces 9). A named file must be readable, even when no rule enforces anything. Without
 * a named file, rules in `enforce` mode keep the process from starting, and other modes only log a warning (spec/surfaces 9).
 */
export function problems({ levels, mode, places }: Parts, { host, config, interface: name }: PolicyRequest): readonly string[] {
  const needs: string[] = [];
  for (const kind of ["geo", "asn"] as const) {
    const problem = places?.problem(kind);
    const isRuled = levels.some(([, rules]) => rules[kind] !== undefined);
    const isNamed = places?.isNamed(kind) === true;
    if (problem === undefined || !(isRuled || isNamed)) continue;
    const asking = isRuled ? `network.${kind}` : markers[kind];
    const message = `${problem} (${asking} of ${config}/${name})`;
    if (isNamed || mode === "enforce") needs.push(message);
    else host.log("warn", `network: ${message}`, { config, interface: name });
  }
  return needs;
}
