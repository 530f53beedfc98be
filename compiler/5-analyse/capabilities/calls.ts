import { touchers } from "#generated/touchers.ts";
import type { Expr } from "#runtime/plan/index.ts";
import type { Sources } from "../../4-plan/inference/provenance.ts";
import type { Touched } from "./touched.ts";

/** The things outside that a call of an action touches. Databases are not here, since queries touch them. */
export function touchedBy(use: string, args: Expr, known: Sources, config: string): readonly Touched[] {
  const toucher = Object.hasOwn(touchers, use) ? touchers[use] : undefined;
  return toucher?.(args, known, config) ?? [];
}
