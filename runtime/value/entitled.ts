import type { Entitlement, Host } from "../process/host.ts";
import { Failure } from "./failure.ts";

/** Fails when the organisation may not use this feature (spec/surfaces 0.1). */
export function requireEntitled(host: Host, name: Entitlement): void {
  if (!host.entitlements.includes(name)) throw new Failure("transform", `${name} is not enabled for this organisation`);
}
