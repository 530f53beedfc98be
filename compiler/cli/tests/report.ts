import { visible } from "#runtime/value/visible.ts";
import { jsonReport, junitErrors, junitReport } from "../../testing/report-files.ts";
import { paint, textReport } from "../../testing/report-text.ts";
import type { CaseResult } from "../../testing/run-suite.ts";
import type { Suite } from "../../testing/suite.ts";
import { type Errors, errorReport, errorsOf, failed, type Terminal } from "../project.ts";
import { writeReport } from "../written.ts";

/** The flags for the form of the results of tests. */
export interface ReportFlags {
  readonly format: "text" | "json" | "junit";
  readonly out?: string;
}

/** Prints the report, or writes it to a file and prints a readable report. */
export function sayResults(
  results: readonly CaseResult[],
  { sources }: Suite,
  { format, out }: ReportFlags,
  terminal: Terminal,
  ms: number,
): void {
  const forPeople = (colored: boolean): string => textReport(results, sources, paint(colored), ms);
  const whole = {
    text: () => forPeople(out === undefined && terminal.colors.out),
    json: () => jsonReport(results, sources, ms),
    junit: () => junitReport(results, sources, ms),
  }[format]();
  if (out === undefined) {
    terminal.out(format === "json" ? visible(whole) : whole);
    return;
  }
  writeReport(out, whole, "a report", terminal);
  terminal.out(forPeople(terminal.colors.out));
}

/** Shows the mistakes that keep tests from running, and writes them to the report in the chosen form; true when there are any. */
export function sayMistakes(found: Errors, { format, out }: Partial<ReportFlags>, terminal: Terminal): boolean {
  if (!failed(found, terminal)) return false;
  const errors = errorsOf(found);
  if (format === "json") report(errorReport(errors, found.sources), out, terminal);
  if (format === "junit") report(junitErrors(errors, found.sources), out, terminal);
  return true;
}

/** Writes the report, even if no test was run, because a reader would take an older report for the one of this run. */
function report(text: string, out: string | undefined, terminal: Terminal): void {
  if (out === undefined) terminal.out(text);
  else writeReport(out, text, "a report", terminal);
}
