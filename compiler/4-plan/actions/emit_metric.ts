import { isLabel, isMetricName, isOurs, namesOf } from "#runtime/formats/metric-names.ts";
import type { Span } from "#runtime/plan/index.ts";
import { entriesOf, entry, get, textOf } from "../../1-read/document.ts";
import { parseTemplate } from "../../1-read/markers/markers.ts";
import { sources as codes } from "../../diagnostics/codes/actions.ts";
import type { Lowering } from "../markers/scope.ts";
import type { Planner } from "./planner.ts";

/** Checks the names and whether there is a value, as far as they are known when compiling. Values of markers are checked at run time. */
export const planner: Planner = {
  check(block, { at, around }, cx) {
    if (!around.exposesMetrics) cx.report(codes.metricsHidden(), at);
    const name = get(block, "name");
    const fixed = textOf(name);
    const type = textOf(get(block, "type")) ?? "counter";
    if (fixed !== undefined && isFixed(fixed)) checkName(fixed, type, around.metrics, cx, name?.span ?? at);
    for (const { key, keySpan } of entriesOf(get(block, "labels")))
      if (isFixed(key) && !isLabel(key)) cx.report(codes.metricLabel(key), keySpan);
    // The entry of a value with a mistake exists, and its mistake was already reported.
    if (type !== "counter" && entry(block, "value") === undefined) cx.report(codes.metricValue(type), at);
  },
};

const isFixed = (text: string): boolean => parseTemplate(text).parts.every(({ kind }) => kind === "text");

function checkName(name: string, type: string, known: Map<string, string>, cx: Lowering, at: Span): void {
  if (!isMetricName(name) || isOurs(name)) {
    cx.report(codes.metricName(name, isOurs(name)), at);
    return;
  }
  const names = new Set(namesOf(name, type));
  const other = [...known].find(
    ([each, itsType]) => (each !== name || itsType !== type) && namesOf(each, itsType).some((one) => names.has(one)),
  );
  if (other === undefined) known.set(name, type);
  else cx.report(codes.metricTaken(type, name, ...other), at);
}
