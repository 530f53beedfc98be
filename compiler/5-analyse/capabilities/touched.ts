import type { CapabilityKind } from "#runtime/plan/capabilities.ts";
import type { Name } from "./names.ts";

/** A thing that a call touches, before it has a place. */
export interface Touched extends Name {
  readonly kind: CapabilityKind;
  readonly of?: string;
  readonly verb?: string;
  readonly within?: readonly string[];
}
