import type { Watched } from "#runtime/admin/watched.ts";
import type { ConsoleFacts } from "#runtime/console/facts.ts";
import type { ModuleChange } from "./changed-modules.ts";
import type { ApplyFix } from "./fixes.ts";
import type { LateTests } from "./late-tests.ts";

/** The facts of the served version for the console. */
export interface Shown {
  /** The served process; undefined before the first version. */
  readonly watched: Watched | undefined;
  /** Makes the facts at their first use. */
  readonly facts: () => ConsoleFacts;
  readonly fix: ApplyFix;
  /** The changes of the printed modules by the last save, computed at their first use. */
  readonly changes: () => readonly ModuleChange[];
  /** The tests; undefined until the command is ready to run them. */
  readonly tests: LateTests | undefined;
}
