import { visibleLine } from "#runtime/value/visible.ts";
import type { Sources } from "../../diagnostics/position.ts";
import type { Paint } from "../report-text.ts";
import { type CoveredPoint, missing, percent, shareOf } from "./coverage.ts";
import type { Point } from "./points.ts";

const kinds: readonly (readonly [Point["kind"], string])[] = [
  ["action", "actions"],
  ["gate", "gates"],
  ["test", "tests"],
  ["fallback", "fallbacks"],
];

/** The most lines about uncovered parts that are shown. */
const mostLines = 20;

/** A line for each file, and below it the uncovered parts. */
export function coverageText(points: readonly CoveredPoint[], sources: Sources, p: Paint): string {
  const files = [...Map.groupBy(points, ({ at: { file } }) => file)];
  const width = Math.max(5, ...files.map(([file]) => file.length));
  const rows = files.map(([file, list]) => row(file, list, width, p));
  const gaps = points.flatMap((point) => {
    const words = missing(point);
    if (words === undefined) return [];
    const { line, column } = sources.lines(point.at.file).at(point.at.start);
    return [`  ${p.dim(`${visibleLine(point.at.file)}:${line}:${column}`)} ${nameOf(point)}: ${words}`];
  });
  const shown = gaps.slice(0, mostLines);
  const more = gaps.length > shown.length ? [`  … and ${gaps.length - shown.length} more; --coverage=html shows all`] : [];
  const lines = [p.bold("coverage"), ...rows, ...(files.length > 1 ? [row("whole", points, width, p)] : []), ...shown, ...more];
  return `${lines.join("\n")}\n`;
}

/** The line of a file: `orders.yaml   82.4 %  actions 6/7  gates 2/4  tests 8/10`. */
function row(file: string, points: readonly CoveredPoint[], width: number, p: Paint): string {
  const whole = percent(shareOf(points));
  const parts = kinds.flatMap(([kind, word]) => {
    const { covered, all } = shareOf(points.filter((point) => point.kind === kind));
    return all === 0 ? [] : [`${word} ${covered}/${all}`];
  });
  const color = whole === 100 ? p.good : whole < 50 ? p.bad : (text: string): string => text;
  return `  ${visibleLine(file.padEnd(width))}  ${color(`${whole.toFixed(1).padStart(5)} %`)}  ${p.dim(parts.join("  "))}`;
}

export const nameOf = ({ kind, label }: Point): string =>
  kind === "test" ? `test of ${visibleLine(label)}` : kind === "fallback" ? "->default" : visibleLine(label);
