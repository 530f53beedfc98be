import { visibleLine } from "#runtime/value/visible.ts";
import { allFailures } from "../diagnostics/codes/failures.ts";
import { allCodes } from "../diagnostics/codes/index.ts";
import { nearest } from "../diagnostics/nearest.ts";
import type { Terminal } from "./project.ts";
import { status } from "./status.ts";

/** Prints the page of a diagnostic, with a wrong and a right example, or the page of a run-time failure. */
export function explain(code: string, terminal: Terminal): number {
  const name = code.toUpperCase();
  const entries = [...allCodes, ...allFailures];
  const first = entries.find((entry) => entry.code === name);
  if (first === undefined) {
    const close = nearest(
      name,
      entries.map((entry) => entry.code),
    );
    terminal.err(
      `pipewright: no diagnostic has the code ${visibleLine(code)}${close === undefined ? "" : ` (did you mean ${close}?)`}; name the path, too, to explain an interface\n`,
    );
    return status.usage;
  }
  terminal.out(`# ${name} (${first.severity})\n\n${first.page}`);
  return status.done;
}
