import { visibleLine } from "#runtime/value/visible.ts";
import type { Sources } from "../../diagnostics/position.ts";
import { type CoveredPoint, partsOf } from "./coverage.ts";

/**
 * The coverage in the format of lcov, which editors and CI read: lines of YAML, with the ways of gates, tests and fallbacks as branches.
 */
export function lcov(points: readonly CoveredPoint[], sources: Sources): string {
  const files = [...Map.groupBy(points, ({ at: { file } }) => file)].sort(([a], [b]) => (a < b ? -1 : 1));
  return files.map(([file, list]) => record(file, list, sources)).join("");
}

/** The number of hits of a line: the runs of its actions, or without an action, the hits of its other points. */
function hitsOf(points: readonly CoveredPoint[]): number {
  const actions = points.filter(({ kind }) => kind === "action");
  return Math.max(
    ...(actions.length === 0 ? points : actions).map(({ kind, counts: { yes, no } }) => (kind === "action" ? yes : yes + no)),
  );
}

function record(file: string, points: readonly CoveredPoint[], sources: Sources): string {
  const lineOf = ({ at }: CoveredPoint): number => sources.lines(file).at(at.start).line;
  const lines = [...Map.groupBy(points, lineOf)].sort(([a], [b]) => a - b);
  const hits = lines.map(([line, list]) => [line, hitsOf(list)] as const);
  const ways = points.filter(({ kind }) => kind !== "action").toSorted((a, b) => a.at.start - b.at.start);
  const branches = ways.flatMap((point, block) => {
    const { yes, no } = point.counts;
    return [yes, no].map((count, way) => `BRDA:${lineOf(point)},${block},${way},${yes + no === 0 ? "-" : count}`);
  });
  const covered = ways.flatMap(partsOf).filter(Boolean).length;
  return [
    "TN:",
    `SF:${visibleLine(file)}`,
    ...branches,
    `BRF:${branches.length}`,
    `BRH:${covered}`,
    ...hits.map(([line, count]) => `DA:${line},${count}`),
    `LF:${hits.length}`,
    `LH:${hits.filter(([, count]) => count > 0).length}`,
    "end_of_record",
    "",
  ].join("\n");
}
