import { visible } from "#runtime/value/visible.ts";
import type { Sources } from "../../diagnostics/position.ts";
import { type CoveredPoint, missing, partsOf, percent, shareOf } from "./coverage.ts";
import { nameOf } from "./text.ts";

/** The coverage as one page without external files: a table of the files, then each file with notes on uncovered parts beside its lines. */
export function coveragePage(points: readonly CoveredPoint[], sources: Sources, style: string): string {
  const files = [...Map.groupBy(points, ({ at: { file } }) => file)].sort(([a], [b]) => (a < b ? -1 : 1));
  const rows = files.map(([file, list], i) => `<tr><td><a href="#f${i}">${escaped(file)}</a></td>${cells(list)}</tr>`);
  const total = files.length > 1 ? `<tfoot><tr><td>whole</td>${cells(points)}</tr></tfoot>` : "";
  const parts = files.map(
    ([file, list], i) =>
      `<section id="f${i}"><h2>${escaped(file)} <small>${share(list)}</small></h2>${source(file, list, sources)}</section>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Coverage</title>
<style>
${style}</style>
</head>
<body>
<main>
<h1>Coverage <small>${share(points)}</small></h1>
<table>
<thead><tr><th>file</th><th>covered</th><th>actions</th><th>gates</th><th>tests</th><th>fallbacks</th></tr></thead>
<tbody>
${rows.join("\n")}
</tbody>
${total}
</table>
<p class="legend"><span class="all">came by</span> <span class="part">one way only</span> <span class="none">never came by</span></p>
${parts.join("\n")}
</main>
</body>
</html>
`;
}

const share = (points: readonly CoveredPoint[]): string => `${percent(shareOf(points)).toFixed(1)} %`;

function cells(points: readonly CoveredPoint[]): string {
  const whole = percent(shareOf(points));
  const counts = (["action", "gate", "test", "fallback"] as const).map((kind) => {
    const { covered, all } = shareOf(points.filter((point) => point.kind === kind));
    return `<td>${all === 0 ? "" : `${covered} of ${all}`}</td>`;
  });
  return `<td><meter min="0" max="100" low="50" high="90" optimum="100" value="${whole}"></meter> ${whole.toFixed(1)} %</td>${counts.join("")}`;
}

/** The lines of a file, each with the number of runs of its action, and notes on uncovered parts. */
function source(file: string, points: readonly CoveredPoint[], sources: Sources): string {
  const table = sources.lines(file);
  const byLine = Map.groupBy(points, ({ at }) => table.at(at.start).line);
  const lines = Array.from({ length: table.count }, (_, i) => lineHtml(i + 1, table.line(i + 1), byLine.get(i + 1) ?? []));
  return `<ol class="source">\n${lines.join("\n")}\n</ol>`;
}

function lineHtml(number: number, text: string, points: readonly CoveredPoint[]): string {
  const parts = points.flatMap(partsOf);
  const state = parts.length === 0 ? "" : parts.every(Boolean) ? "all" : parts.some(Boolean) ? "part" : "none";
  const action = points.find(({ kind }) => kind === "action");
  const count = action === undefined ? "" : `${action.counts.yes}×`;
  const notes = points.flatMap((point) => {
    const words = missing(point);
    return words === undefined ? [] : [`${nameOf(point)}: ${words}`];
  });
  const failed = action !== undefined && action.failed > 0 ? [`failed ${action.failed}×`] : [];
  const remarks = [...notes, ...failed].map((note) => `<i>${escaped(note)}</i>`).join("");
  return `<li class="${state}"><b>${number}</b><u>${count}</u><code>${escaped(text) || " "}</code>${remarks}</li>`;
}

const escaped = (text: string): string =>
  visible(text).replace(/[&<>"']/g, (found) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[found] ?? "&#39;");
