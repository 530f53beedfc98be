import type { ConfigPlan, InterfacePlan, Span } from "#runtime/plan/index.ts";
import type { GivenWorld } from "./given.ts";
import type { WrittenTest } from "./test-file.ts";

/** A case that is run once and judged: a written test, or an example of an interface. */
export interface Case {
  readonly name: string;
  /** The file of the case in a report: the file of tests, or the configuration. */
  readonly file: string;
  readonly at: Span;
  readonly config: ConfigPlan;
  readonly target: InterfacePlan;
  readonly given: GivenWorld;
  readonly skip: string | undefined;
  /** The written test; absent for an example. */
  readonly written?: { readonly test: WrittenTest; readonly index: number };
}
