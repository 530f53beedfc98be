import { roots } from "#runtime/run/marker-roots.ts";
import { entriesOf, get, items, type Node, scalarText } from "../../1-read/document.ts";
import type { Marker } from "../../1-read/markers/marker.ts";
import { marker as codes } from "../../diagnostics/codes/marker.ts";
import type { BodyLanguage, Lowering } from "../markers/scope.ts";
import { reportAt, type Scalar } from "./scalar.ts";

/** The language of a content type without its parameters: one in which data of a text must be escaped. */
export function languageOf(type: string | null | undefined): BodyLanguage | undefined {
  if (type === "text/html" || type === "application/xhtml+xml") return "html";
  if (type === "application/x-www-form-urlencoded") return "form";
  if (/^application\/(?:x-)?(?:ndjson|jsonl|jsonlines|json-lines)$/.test(type ?? "")) return "lines";
  return type?.endsWith("/xml") || type?.endsWith("+xml") ? "xml" : undefined;
}

/** Steps after which a value holds no character of any of these languages. */
const plain = ["days_since", "to_number", "length", "some"];

const markup: ReadonlySet<string> = new Set([...plain, "escape_html", "escape_xml"]);
const json = ["json_escape", "json_esc", "json_stringify", "tojson", "double_quote", "json_array"];

/** Steps that remove or escape every character of the language in data from outside. */
const harmless: Readonly<Record<BodyLanguage, ReadonlySet<string>>> = {
  html: markup,
  xml: markup,
  form: new Set(plain),
  lines: new Set([...plain, ...json]),
};

/** Filters of jq that escape for the language. */
const escapesOfJq: Readonly<Record<BodyLanguage, RegExp>> = { html: /@html/, xml: /@html/, form: /@uri/, lines: /@json|tojson/ };

/** True when a transform of the action escapes for the language; which of its data it escapes is not looked at. */
function escapes(action: Node | undefined, language: BodyLanguage): boolean {
  const transforms = items(get(action, "post_transforms")).flatMap(entriesOf);
  return transforms.some(({ key, value }) =>
    key === "extract_with_jq" ? escapesOfJq[language].test(scalarText(value) ?? "") : key === "encode_uri_component" && language === "form",
  );
}

/**
 * Warns of data that goes unescaped into a text of a language (PW285), and gives the lowering for the inside of the marker. A marker that
 * is the whole body may be a page that an action has built, so only a value of the request is reported there.
 */
export function checkEscaped(marker: Marker, scalar: Scalar, cx: Lowering, embedded: boolean): Lowering {
  const { language } = cx;
  if (language === undefined) return cx;
  const { root, path = "", steps, start, end } = marker;
  if (steps.some((step) => step.kind === "filter" && harmless[language].has(step.name))) return { ...cx, language: undefined };
  const builtIn = Object.hasOwn(roots, root) ? roots[root] : undefined;
  const isData = embedded ? builtIn?.config !== true : builtIn?.trigger === true && harmless[language] === markup;
  const action = cx.scope.nodes.get(root === "previous" ? (cx.scope.previous ?? root) : root);
  const isNumber = /(?:^|\.)count\(\)$/.test(path);
  const isTested = root === "params" && cx.harmless?.has(path) === true;
  if (isData && !isNumber && !isTested && !escapes(action, language))
    reportAt(codes.unescaped(scalar.template.text.slice(start, end), language), marker, scalar, cx.report);
  return cx;
}
