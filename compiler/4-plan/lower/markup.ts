import { roots } from "#runtime/run/marker-roots.ts";
import { marker as codes } from "../../diagnostics/codes/marker.ts";
import type { Marker } from "../markers/marker.ts";
import type { Lowering, Markup } from "../markers/scope.ts";
import { reportAt, type Scalar } from "./scalar.ts";

/** The markup language of a content type without its parameters: text in which data must be escaped. */
export function markupOf(type: string | null | undefined): Markup | undefined {
  if (type === "text/html" || type === "application/xhtml+xml") return "html";
  return type?.endsWith("/xml") || type?.endsWith("+xml") ? "xml" : undefined;
}

/** Steps that remove or escape every character of markup in data from outside. */
const harmless: ReadonlySet<string> = new Set(["escape_html", "escape_xml", "days_since", "to_number", "length", "some"]);

/**
 * Warns of data that goes into markup unescaped (PW285), and gives the lowering for the inside of the marker. A marker that is the whole
 * body may be a page that an action has built, so only a value of the request is reported there.
 */
export function checkMarkup(marker: Marker, scalar: Scalar, cx: Lowering, embedded: boolean): Lowering {
  const { markup } = cx;
  if (markup === undefined) return cx;
  const { root, path = "", steps, start, end } = marker;
  if (steps.some((step) => step.kind === "filter" && harmless.has(step.name))) return { ...cx, markup: undefined };
  const builtIn = Object.hasOwn(roots, root) ? roots[root] : undefined;
  const isData = embedded ? builtIn?.config !== true : builtIn?.trigger === true;
  const isNumber = /(?:^|\.)count\(\)$/.test(path);
  if (isData && !isNumber) reportAt(codes.unescaped(scalar.template.text.slice(start, end), markup), marker, scalar, cx.report);
  return cx;
}
