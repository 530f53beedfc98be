import type { Watched } from "#runtime/admin/watched.ts";
import type { ConsoleFacts } from "#runtime/console/facts.ts";
import type { ModuleChange } from "./changed-modules.ts";
import type { ApplyFix } from "./fixes.ts";
import type { LateTests } from "./late-tests.ts";

/** The served version as the console sees it. */
export interface Shown {
  /** Undefined until something is served. */
  readonly watched: Watched | undefined;
  /** Makes the facts when they are first asked for. */
  readonly facts: () => ConsoleFacts;
  readonly fix: ApplyFix;
  /** Changes of the printed modules by the last save, compared when they are asked for. */
  readonly changes: () => readonly ModuleChange[];
  /** Undefined until the command is ready to run tests. */
  readonly tests: LateTests | undefined;
}
