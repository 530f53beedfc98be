import type { Touch, TouchedHost } from "../plan/touch.ts";
import type { Run } from "../run/run.ts";
import type { Address } from "./address.ts";

export type { Touch } from "../plan/touch.ts";

/**
 * Must be called immediately before every effect. A durable run that another node may have taken over then throws and sends nothing more.
 * Where a manifest is enforced, an effect that it does not list is refused. A run that belongs to no interface, such as that of a store of
 * secrets, may touch what its configuration may.
 */
export function touches(run: Run, touch: Touch): void {
  run.journal?.touches();
  (run.interface.permit ?? run.config.permit)?.(run, touch);
}

/** Checks a touch against the whole configuration: addresses of databases belong to it, and its interfaces share them. */
export function touchesByConfig(run: Run, touch: Touch): void {
  run.config.permit?.(run, touch);
}

/** The host of an address, as a thing that is touched. */
export const hostOf = ({ host, protocol }: Pick<Address, "host" | "protocol">, fromData = false): TouchedHost => ({
  kind: "hosts",
  name: host,
  usualPort: protocol === "https:" ? 443 : 80,
  fromData,
});
