import type { Host } from "../process/host.ts";
import type { Counts } from "./limits.ts";
import { LocalCounts } from "./local-counts.ts";
import { SharedCounts } from "./shared-counts.ts";

/**
 * The counts of admitted requests of this process; with `PIPEWRIGHT_CLUSTERED` those of all nodes, by way of the store that they share
 * (spec/surfaces 9, 17).
 */
export const networkCounts = (host: Host): Counts => host.resource("rate limits", () => open(host));

function open(host: Host): Counts {
  if (host.env("PIPEWRIGHT_CLUSTERED") !== "true") return new LocalCounts(host.monotonic);
  return new SharedCounts(async () => (await import("../state/open.ts")).stateOf(host), host.now, host.log);
}
