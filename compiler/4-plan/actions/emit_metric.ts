import { entry, get, textOf } from "../../1-read/document.ts";
import { sources as codes } from "../../diagnostics/codes/actions.ts";
import { parseTemplate } from "../markers/markers.ts";
import type { Planner } from "./planner.ts";

/** The name and the need of a value are checked as far as they are known now; what is left to a marker fails at run time. */
export const planner: Planner = {
  check(block, { at, around }, cx) {
    if (!around.exposesMetrics) cx.report(codes.metricsHidden(), at);
    const name = get(block, "name");
    const fixed = name === undefined ? undefined : textOf(name);
    const type = textOf(get(block, "type")) ?? "counter";
    const isFixed = fixed !== undefined && parseTemplate(fixed).parts.every(({ kind }) => kind === "text");
    if (isFixed && !/^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(fixed)) cx.report(codes.metricName(fixed), name?.span ?? at);
    // A value with a mistake, which was reported, is there without one.
    if (type !== "counter" && entry(block, "value") === undefined) cx.report(codes.metricValue(type), at);
  },
};
