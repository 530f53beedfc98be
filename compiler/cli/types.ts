import { renderFrames } from "../diagnostics/frame.ts";
import { printAll } from "../pipeline.ts";
import { typeFaults } from "../types/faults.ts";
import { diagnosticsOf } from "../types/origin.ts";
import { failed, planProject, status, type Terminal } from "./project.ts";

/**
 * `check --types`: type-checks the modules as they would be generated. An error in one is never the user's mistake, so it ends with the status of a bug.
 * All of it goes to stderr: stdout holds the report of `check`, in its format.
 */
export async function checkTypes(paths: readonly string[], terminal: Terminal): Promise<number> {
  const planned = planProject(paths, terminal);
  if (failed(planned, terminal)) return status.failed;
  const modules = await printAll(planned);
  const found = diagnosticsOf(typeFaults(modules), planned.sources);
  if (found.length > 0) terminal.err(renderFrames(found, planned.sources, { color: terminal.colors.err }));
  else terminal.err(`${modules.length} ${modules.length === 1 ? "module" : "modules"} type-checked, nothing to report\n`);
  return found.length > 0 ? status.bug : status.done;
}
