import type { Json } from "#runtime/value/json.ts";
import { visible, visibleLine } from "#runtime/value/visible.ts";
import type { Diagnostic } from "../diagnostics/diagnostic.ts";
import type { Sources } from "../diagnostics/position.ts";
import { sarifReport } from "../diagnostics/sarif.ts";
import { countsOf, countsText } from "../review/counts.ts";
import { inCell } from "../review/markdown.ts";
import type { Finding } from "./index.ts";
import { auditSeverities } from "./rule.ts";
import { rules } from "./rules/index.ts";

export type AuditFormat = "text" | "json" | "sarif" | "markdown";

export function auditReport(format: AuditFormat, found: readonly Finding[], sources: Sources): string {
  switch (format) {
    case "text":
      return text(found);
    case "json":
      return visible(`${JSON.stringify(json(found), null, 2)}\n`);
    case "sarif":
      return visible(`${JSON.stringify(sarif(found, sources), null, 2)}\n`);
    case "markdown":
      return markdown(found);
  }
}

const counts = (found: readonly Finding[]): Record<string, number> => countsOf(auditSeverities, found);

const place = ({ at, line, column }: Finding): string => `${at.file}:${line}:${column}`;
const sentenceOf = ({ subject, text: what }: Finding): string => (subject === undefined ? what : `${subject}: ${what}`);

/** The findings line by line, then for each rule once the risk and the remedy. */
function text(found: readonly Finding[]): string {
  if (found.length === 0) return "nothing unwise found\n";
  const lines = found.map((one) => `${one.severity.padEnd(6)}  ${visibleLine(`${place(one)}: ${sentenceOf(one)}`)}  [${one.rule.name}]\n`);
  const used = rules.filter((rule) => found.some((one) => one.rule === rule));
  const pages = used.map(({ name, why, remedy }) => `${name}: ${why}\n  remedy: ${remedy}\n`);
  return `${lines.join("")}\n${pages.join("")}\n${countsText(counts(found))}\n`;
}

const json = (found: readonly Finding[]): Json => ({
  findings: found.map((one) => ({
    ...{ rule: one.rule.name, severity: one.severity, text: one.text, interface: one.subject ?? null },
    ...{ file: one.at.file, line: one.line, column: one.column, why: one.rule.why, remedy: one.rule.remedy },
  })),
  counts: counts(found),
});

const levels = { high: "error", medium: "warning", low: "note" } as const;

function sarif(found: readonly Finding[], sources: Sources): Json {
  const diagnostics = found.map(
    (one): Diagnostic => ({
      code: one.rule.name,
      severity: levels[one.severity],
      message: sentenceOf(one),
      hint: one.rule.remedy,
      at: one.at,
    }),
  );
  return sarifReport(
    diagnostics,
    sources,
    rules.map(({ name, why, remedy }) => ({ code: name, page: `${why}\n\nRemedy: ${remedy}.` })),
  );
}

function markdown(found: readonly Finding[]): string {
  if (found.length === 0) return "## Nothing unwise found\n";
  const rows = found.map(
    (one) => `| ${one.severity} | ${inCell(sentenceOf(one))} | ${inCell(place(one))} | ${one.rule.name} | ${inCell(one.rule.remedy)} |\n`,
  );
  return `## ${countsText(counts(found))}\n\n| severity | finding | place | rule | remedy |\n|---|---|---|---|---|\n${rows.join("")}`;
}
