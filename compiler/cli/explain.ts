import { allCodes } from "../diagnostics/codes/index.ts";
import { nearest } from "../diagnostics/nearest.ts";
import { status, type Terminal } from "./project.ts";

/** The page of a diagnostic: what it means, a wrong and a right example. */
export function explain(code: string, terminal: Terminal): number {
  const wanted = code.toUpperCase();
  const entries = allCodes.filter((entry) => entry.code === wanted);
  const [first] = entries;
  if (first === undefined) {
    const close = nearest(
      wanted,
      allCodes.map((entry) => entry.code),
    );
    terminal.err(`pipewright: no diagnostic has the code ${wanted}${close === undefined ? "" : `; did you mean ${close}?`}\n`);
    return status.usage;
  }
  terminal.out(`# ${wanted} (${first.severity})\n\n${first.page}`);
  return status.done;
}
