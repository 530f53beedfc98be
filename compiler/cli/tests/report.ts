import { visible } from "#runtime/value/visible.ts";
import { jsonReport, junitReport } from "../../testing/report-files.ts";
import { paint, textReport } from "../../testing/report-text.ts";
import type { CaseResult } from "../../testing/run-suite.ts";
import type { Suite } from "../../testing/suite.ts";
import type { Terminal } from "../project.ts";
import { writeReport } from "../written.ts";

/** How the results of tests are told. */
export interface ReportFlags {
  readonly format: "text" | "json" | "junit";
  readonly out?: string;
}

/** Prints the report, or writes it to a file beside a report for people. */
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
