import { printAll } from "../pipeline.ts";
import { typeFaults } from "../types/faults.ts";
import { diagnosticsOf } from "../types/origin.ts";
import { framesFor } from "./frames.ts";
import { progressOn } from "./progress.ts";
import { failed, planProject, type Terminal } from "./project.ts";
import { status } from "./status.ts";

/**
 * `check --types`: type-checks the modules that would be generated. A type error is never the user's mistake, so it ends with the status of
 * a bug. The output goes to stderr, because stdout has the report of `check`.
 */
export async function checkTypes(paths: readonly string[], terminal: Terminal): Promise<number> {
  const planned = planProject(paths, terminal);
  if (failed(planned, terminal)) return status.failed;
  // Progress is shown only on a terminal, where a user waits.
  using progress = progressOn(terminal, { quiet: terminal.isLive !== true });
  progress.step("types", `${planned.plans.length} ${planned.plans.length === 1 ? "config" : "configs"}`);
  const modules = await printAll(planned);
  const diagnostics = diagnosticsOf(typeFaults(modules), planned.sources);
  progress.done();
  if (diagnostics.length > 0) terminal.err(framesFor(diagnostics, planned.sources, terminal));
  else terminal.err(`${modules.length} ${modules.length === 1 ? "module" : "modules"} type-checked, nothing to report\n`);
  return diagnostics.length > 0 ? status.bug : status.done;
}
