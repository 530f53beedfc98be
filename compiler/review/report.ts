import type { Json } from "#runtime/value/json.ts";
import { visible, visibleLine } from "#runtime/value/visible.ts";
import type { Difference } from "./compare.ts";
import { countsOf, countsText } from "./counts.ts";
import { type Severity, severities } from "./fact.ts";
import { inMarkdown } from "./markdown.ts";
import type { Side } from "./side.ts";

const diffFormats = ["text", "json", "markdown", "github"] as const;
export type DiffFormat = (typeof diffFormats)[number];

/** A difference with its line. */
export interface Placed extends Difference {
  /** The line; absent in a manifest, which has no lines. */
  readonly line?: number;
  readonly column?: number;
}

export function placed(found: readonly Difference[], before: Side, after: Side): readonly Placed[] {
  return found.map((one) => {
    const { planned } = one.side === "old" ? before : after;
    if (planned === undefined || one.at === undefined) return one;
    return { ...one, file: one.at.file, ...planned.sources.lines(one.at.file).at(one.at.start) };
  });
}

const where = ({ file, line, column }: Placed): string => (line === undefined ? file : `${file}:${line}:${column ?? 1}`);

/** A difference as one line. A removed part is shown at its place in the old version, marked as `(old)`. */
const lineOf = (one: Placed): string => `${placeOf(one)}: ${one.subject}: ${one.text}`;

const placeOf = (one: Placed): string => `${where(one)}${one.side === "old" ? " (old)" : ""}`;

export function reportOf(format: DiffFormat, found: readonly Placed[], before: Side, after: Side): string {
  switch (format) {
    case "text":
      return text(found);
    case "json":
      return visible(`${JSON.stringify(json(found, before, after), null, 2)}\n`);
    case "markdown":
      return markdown(found, before, after);
    case "github":
      return found.map((one) => `${command(one)}\n`).join("");
  }
}

const counts = (found: readonly Placed[]): Record<string, number> => countsOf(severities, found);

function text(found: readonly Placed[]): string {
  if (found.length === 0) return "no difference\n";
  const width = Math.max(...found.map(({ severity }) => severity.length));
  const lines = found.map((one) => `${one.severity.padEnd(width)}  ${visibleLine(lineOf(one))}\n`);
  return `${lines.join("")}\n${countsText(counts(found))}\n`;
}

function json(found: readonly Placed[], before: Side, after: Side): Json {
  return {
    old: before.name,
    new: after.name,
    differences: found.map(({ severity, facet, subject, text, side, file, line, column }) => ({
      ...{ severity, facet, interface: subject, text, side, file },
      ...(line === undefined ? {} : { line, column: column ?? 1 }),
    })),
    counts: counts(found),
  };
}

const titles: Readonly<Record<Severity, string>> = {
  loosened: "Loosened: open, shown or unchecked that was not",
  breaking: "Breaking: callers that worked may fail",
  reaches: "Reaches: things outside that were not touched before",
  changed: "Changed",
  tightened: "Tightened",
  note: "Notes",
};

/**
 * The report for a comment in a pull request: a heading for each severity, a line for each difference. Texts of the configuration cannot
 * act as markup.
 */
function markdown(found: readonly Placed[], before: Side, after: Side): string {
  const head = `## ${found.length === 0 ? "No difference" : countsText(counts(found))}\n\n${inMarkdown(`\`${before.name}\` → \`${after.name}\``)}\n`;
  const parts = severities.flatMap((severity) => {
    const list = found.filter((one) => one.severity === severity);
    if (list.length === 0) return [];
    return [
      `### ${titles[severity]}\n\n${list.map((one) => `- **${inMarkdown(one.subject)}**: ${inMarkdown(one.text)} (${inMarkdown(where(one))})\n`).join("")}`,
    ];
  });
  return [head, ...parts].join("\n");
}

/** A workflow command: GitHub shows it beside the line of the new version. */
function command(one: Placed): string {
  const level = one.severity === "loosened" || one.severity === "breaking" ? "warning" : "notice";
  const place = one.side === "new" ? `file=${property(one.file)},line=${one.line ?? 1},` : "";
  return `::${level} ${place}title=${property(`${one.severity}: ${one.subject}`)}::${data(one.side === "old" ? lineOf(one) : one.text)}`;
}

const data = (given: string): string => visible(given).replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const property = (given: string): string => data(given).replaceAll(":", "%3A").replaceAll(",", "%2C");
