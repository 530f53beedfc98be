import { present } from "../present.ts";
import type { Diagnostic, Severity } from "./diagnostic.ts";
import type { Sources } from "./position.ts";

/** The document that `check --format json` prints (spec/command-line 5). */
export interface JsonReport {
  readonly diagnostics: readonly JsonDiagnostic[];
  readonly errors: number;
  readonly warnings: number;
}

export interface JsonDiagnostic {
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
  readonly hint?: string;
  readonly fix?: { readonly title: string; readonly text: string };
}

/** The report as plain data, with keys in the order of the documentation. The diagnostics keep their order. */
export function jsonReport(diagnostics: readonly Diagnostic[], sources: Sources): JsonReport {
  const count = (severity: Severity): number => diagnostics.filter((diagnostic) => diagnostic.severity === severity).length;
  return { diagnostics: diagnostics.map((one) => jsonDiagnostic(one, sources)), errors: count("error"), warnings: count("warning") };
}

function jsonDiagnostic({ code, severity, message, at, hint, fix }: Diagnostic, sources: Sources): JsonDiagnostic {
  const lines = sources.lines(at.file);
  const { line, column } = lines.at(at.start);
  const { line: endLine, column: endColumn } = lines.at(at.end);
  return {
    code,
    severity,
    message,
    file: at.file,
    line,
    column,
    endLine,
    endColumn,
    ...present({ hint }),
    ...(fix === undefined ? {} : { fix: { title: fix.title, text: fix.text } }),
  };
}
