import type { Marker } from "../../1-read/markers/marker.ts";
import { onlyMarker } from "../../1-read/markers/markers.ts";
import { config } from "../../diagnostics/codes/file.ts";
import { marker as codes } from "../../diagnostics/codes/marker.ts";
import type { Finding } from "../../diagnostics/diagnostic.ts";
import { reportAt, type Scalar } from "../lower/scalar.ts";
import type { Lowering } from "./scope.ts";

/** The text of a file beside the config, as it is: nothing in it is a marker (spec/language 2.4). */
export function included({ path = "" }: Pick<Marker, "path">, cx: Lowering): { readonly text: string } | { readonly finding: Finding } {
  if (path === "") return { finding: codes.emptyPart() };
  const file = cx.include?.(path) ?? { problem: "not readable" };
  return "text" in file ? file : { finding: config.include(path, file.problem) };
}

/**
 * The scalar with code from files in the place of its includes. A scalar that is one `include`, or an `include` with `->raw` in other text,
 * is the author's own code and known when compiling. Any other included text is a value.
 */
export function spliced(scalar: Scalar, cx: Lowering): Scalar {
  const { parts } = scalar.template;
  const whole = onlyMarker(scalar.template, /^\s+$/);
  const isCode = (part: Marker): boolean =>
    part.root === "include" && (part === whole ? part.steps.every(isRaw) : part.steps.length > 0 && part.steps.every(isRaw));
  if (!parts.some((part) => part.kind === "marker" && isCode(part))) return scalar;
  const pieces = parts.map((part) => {
    if (part.kind === "text" || !isCode(part)) return part;
    const file = included(part, cx);
    if ("finding" in file) reportAt(file.finding, part, scalar, cx.report);
    return { kind: "text" as const, text: "text" in file ? file.text : "", start: part.start, end: part.end };
  });
  return { ...scalar, template: { ...scalar.template, parts: pieces } };
}

const isRaw = (step: Marker["steps"][number]): boolean => step.kind === "filter" && step.name === "raw";
