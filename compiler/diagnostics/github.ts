import { visible } from "#runtime/value/visible.ts";
import type { Diagnostic } from "./diagnostic.ts";
import type { Sources } from "./position.ts";

/** Workflow commands, one on each line, which GitHub shows beside the changed lines. */
export function githubReport(diagnostics: readonly Diagnostic[], sources: Sources): string {
  return diagnostics.map((diagnostic) => `${command(diagnostic, sources)}\n`).join("");
}

function command({ code, severity, message, at, hint }: Diagnostic, sources: Sources): string {
  const lines = sources.lines(at.file);
  const start = lines.at(at.start);
  const end = lines.at(at.end);
  const place = [
    `file=${property(at.file)}`,
    `line=${start.line}`,
    `endLine=${end.line}`,
    // GitHub uses columns only for a range within one line.
    ...(start.line === end.line ? [`col=${start.column}`, `endColumn=${end.column}`] : []),
    `title=${code}`,
  ].join(",");
  const level = severity === "note" ? "notice" : severity;
  return `::${level} ${place}::${data(hint === undefined ? message : `${message}\n${hint}`)}`;
}

const data = (text: string): string => visible(text).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const property = (text: string): string => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
