import { visible } from "#runtime/value/visible.ts";
import type { DescribedQueries } from "../5-analyse/index.ts";
import { allCodes } from "../diagnostics/codes/index.ts";
import { renderFrames } from "../diagnostics/frame.ts";
import { githubReport } from "../diagnostics/github.ts";
import { jsonReport } from "../diagnostics/json.ts";
import { sarifReport } from "../diagnostics/sarif.ts";
import {
  askedEnvironment,
  type DenyFlags,
  denied,
  environmentOf,
  fallbackLines,
  planProject,
  refuseEnvironment,
  sayEnvironment,
  type Terminal,
} from "./project.ts";
import { status } from "./status.ts";

export interface CheckOptions extends DenyFlags {
  readonly format: "text" | "json" | "github" | "sarif";
  readonly strict?: boolean;
  readonly env?: string;
}

/** Every diagnostic of the configs, in one pass; `described` has what the servers of databases have said of queries. */
export function check(paths: readonly string[], options: CheckOptions, terminal: Terminal, described?: DescribedQueries): number {
  const { format, strict } = options;
  const environment = environmentOf(paths, options, terminal);
  refuseEnvironment(environment);
  if (format === "text") sayEnvironment(environment, options, terminal);
  const isNamed = askedEnvironment(options, terminal) !== undefined;
  const planned = denied(planProject(paths, terminal, environment, { holds: isNamed, ...(described && { described }) }), options);
  const { diagnostics, sources, failed, plans } = planned;
  // PW112 says that a key is ignored; it never fails a strict check (spec/language 1.3).
  const strictly = strict === true && diagnostics.some(({ severity, code }) => severity === "warning" && code !== "PW112");
  switch (format) {
    case "json":
      terminal.out(visible(`${JSON.stringify(jsonReport(diagnostics, sources), null, 2)}\n`));
      break;
    case "github":
      terminal.out(githubReport(diagnostics, sources));
      break;
    case "sarif":
      terminal.out(visible(`${JSON.stringify(sarifReport(diagnostics, sources, allCodes), null, 2)}\n`));
      break;
    case "text":
      terminal.out(renderFrames(diagnostics, sources, { color: terminal.colors.out }));
      if (diagnostics.length === 0)
        terminal.out(`${plans.length} ${plans.length === 1 ? "config" : "configs"} checked, nothing to report\n`);
      for (const line of fallbackLines(planned, options)) terminal.out(`${line}\n`);
  }
  return failed || strictly ? status.failed : status.done;
}
