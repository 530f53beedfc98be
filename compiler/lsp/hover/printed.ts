import { decodedMappings, TraceMap } from "@jridgewell/trace-mapping";
import type { AnalysedPlan } from "../../5-analyse/index.ts";
import { lineTable, sources } from "../../diagnostics/position.ts";
import { printAll } from "../../pipeline.ts";

/** The most lines of code that are shown. */
const mostLines = 12;

/** The lines of the module that come from the line of a place, as a code block; empty if there are none. */
export async function printedLines(plan: AnalysedPlan, text: string, offset: number): Promise<string> {
  const [module] = await printAll({ plans: [plan], sources: sources(new Map([[plan.file, text]])) });
  if (module === undefined) return "";
  const number = lineTable(text).at(offset).line;
  const map = new TraceMap(module.map);
  const own = map.sources.indexOf(plan.file);
  const lines = module.code.split("\n");
  const codeLines = decodedMappings(map).flatMap((segments, line) =>
    segments.some(([, source, original]) => source === own && original === number - 1) ? [lines[line] ?? ""] : [],
  );
  if (codeLines.length === 0) return "";
  const indent = Math.min(...codeLines.map((line) => line.length - line.trimStart().length));
  const shown = codeLines.slice(0, mostLines).map((line) => line.slice(indent));
  return `Printed:\n\n\`\`\`typescript\n${shown.join("\n")}${codeLines.length > mostLines ? "\n// …" : ""}\n\`\`\``;
}
