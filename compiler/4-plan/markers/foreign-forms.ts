import type { Context } from "#runtime/features/feature.ts";
import { roots } from "#runtime/run/marker-roots.ts";
import { answerShape } from "#runtime/shapes/answer.ts";
import { any } from "#runtime/shapes/shape.ts";
import { get, type Node, type ScalarNode } from "../../1-read/document.ts";
import { filterArity } from "../../1-read/markers/filter-words.ts";
import type { TemplatePart } from "../../1-read/markers/marker.ts";
import { marker as codes } from "../../diagnostics/codes/marker.ts";
import type { Finding } from "../../diagnostics/diagnostic.ts";
import {
  bareMarker,
  bracesAround,
  dottedMarker,
  environmentForm,
  slashedPattern,
  urlParameter,
  valueForms,
} from "../../other-tools/forms.ts";
import { rootInForm } from "../../other-tools/roots.ts";
import { reportAt, type Scalar } from "../lower/scalar.ts";
import type { Lowering } from "./scope.ts";

/** Markers with a capital, with blanks or without the letter, which are text: `A|body::name|`, `a| body::name |`, `|body::name|`. */
const nearMarker = /(?<![\w\\|])(?:A\|\s{0,9}|a\|\s{1,9}|\|)(?<root>[A-Za-z_][\w-]*)::(?<path>[\w.-]+)\s{0,9}\|/g;

/** Contexts whose own language gives such a text a meaning. */
const ownForms: ReadonlySet<Context | undefined> = new Set(["shell", "regex", "css", "like", "expression", "source", "path"]);

/**
 * Warns of values in the form of another tool inside a text (PW296), but only when the name exists here: the reader of
 * the text may understand all others.
 */
export function checkForeignForms(scalar: Scalar, context: Context | undefined, cx: Lowering): void {
  const { template } = scalar;
  if (context === "regex") checkSlashes(scalar, cx);
  if (context === undefined) checkBare(scalar.node, cx);
  if (ownForms.has(context) || !/[{$|%]/.test(template.text)) return;
  if (checkBraces(scalar, cx)) return;
  const marker = knownMarker(context, cx);
  const forms = [...valueForms, nearMarker, ...(context === "url" ? [urlParameter] : []), ...(context === "sql" ? [dottedMarker] : [])];
  for (const [i, part] of template.parts.entries()) {
    if (part.kind !== "text") continue;
    const text = template.text.slice(part.start, part.end);
    checkPipedFilter(text, template.parts[i - 1], scalar, cx);
    let end = 0;
    for (const match of forms.flatMap((form) => [...text.matchAll(form)]).sort((a, b) => a.index - b.index)) {
      const { root = "", path = "" } = match.groups ?? {};
      const instead = marker(root, path, context === "url" && environmentForm.test(match[0]));
      // One form may have another inside: `{{ $json.body.x }}`.
      if (instead === undefined || match.index < end) continue;
      end = match.index + match[0].length;
      const finding = codes.otherTool(match[0], instead, context === "sql" ? null : undefined);
      reportAt(finding, { start: part.start + match.index, end: part.start + end }, scalar, cx.report);
    }
  }
}

/** Warns of an operator of another tool behind a name: `a|body::name ?? x|`, `a|env::NAME:-x|`. */
export function checkOperator(path: string | undefined, say: (finding: Finding) => void): void {
  const [, value, operator = "??", operand = ""] = /^([^[\]'"]+?)(?: (\?\?|[+*]|==) |:-)(.+)$/s.exec(path ?? "") ?? [];
  if (value !== undefined) say(codes.operatorInPath(path ?? "", value, operator, operand));
}

/** Warns of a marker in the braces of another tool, when nothing else is in the text: `{{ a|body::name| }}`. */
function checkBraces({ node, template: { text, parts } }: Scalar, { report }: Lowering): boolean {
  const [before, marker, behind, ...others] = parts;
  if (before?.kind !== "text" || marker?.kind !== "marker" || behind?.kind !== "text" || others.length > 0) return false;
  const isBraced = bracesAround[0].test(text.slice(before.start, before.end)) && bracesAround[1].test(text.slice(behind.start, behind.end));
  if (isBraced) report(codes.otherTool(text, text.slice(marker.start, marker.end)), node.span);
  return isBraced;
}

/** Warns of a text that only lacks the `a|` and the `|` of a marker: `body::name`. */
export function checkBare({ value, span }: ScalarNode, cx: Lowering, isPath = false): void {
  const { root = "", path = "" } = bareMarker.exec(String(value))?.groups ?? {};
  const { actions, nodes } = cx.scope;
  if (!Object.hasOwn(roots, root) && !(actions.has(root) && (isPath || hasMember(nodes.get(root), path)))) return;
  const marker = `a|${root}::${path}|`;
  // In a list or a map in brackets, a text with a bracket needs its quotes.
  cx.report(codes.otherTool(String(value), marker, path.includes("[") ? `'${marker}'` : marker), span);
}

/**
 * True when the source of an action gives the first part of a path. Any other text may be a name, such as that of an event:
 * `Order::created`.
 */
function hasMember(action: Node | undefined, path: string): boolean {
  const [first = ""] = path.split(/[.[]/, 1);
  if (first === "" || get(get(action, "json_output"), first) !== undefined) return true;
  return get(action, "http") !== undefined && answerShape(any).members.has(first);
}

function checkSlashes({ node, template }: Scalar, { report }: Lowering): void {
  const [, pattern, flags = ""] = slashedPattern.exec(template.text) ?? [];
  if (pattern === undefined) return;
  const options = flags.replace(/[^ims]/g, "");
  report(codes.slashedPattern(template.text, `${options === "" ? "" : `(?${options})`}${pattern}`), node.span);
}

/** A filter or a default behind the pipe that ends the marker before it: `a|body::name|upper|`, `a|body::name || 'none'|`. */
function checkPipedFilter(text: string, before: TemplatePart | undefined, scalar: Scalar, { report }: Lowering): void {
  if (before?.kind !== "marker") return;
  const source = scalar.template.text.slice(before.start, before.end);
  const [whole, fallback] = source.endsWith(" |") ? (/^\| ([^|]+?) ?\|/.exec(text) ?? []) : [];
  const [piped, call = "", name = ""] = /^ ?((\w+)(?:\([^()|]*\))?) ?\|/.exec(text) ?? [];
  const filter = fallback !== undefined ? `default(${fallback})` : filterArity(name) !== undefined ? call : undefined;
  const all = whole ?? piped;
  if (filter === undefined || all === undefined) return;
  reportAt(
    codes.otherTool(`${source}${all}`, `${source.slice(0, -1).trimEnd()}->${filter}|`),
    { start: before.start, end: before.end + all.length },
    scalar,
    report,
  );
}

/** The marker that a name with a path stands for, or undefined when nothing of that name is known at the place. */
function knownMarker(
  context: Context | undefined,
  cx: Lowering,
): (root: string, path: string, isOfEnvironment: boolean) => string | undefined {
  // A body may be a page or a template of another tool, with names of its own.
  const isDocument = context === "json_text" || cx.language !== undefined || cx.scope.open.length > 0;
  return (word, behind, isOfEnvironment) => {
    const [root, path] = isDocument ? [word, behind] : rootInForm(word, behind);
    if (Object.hasOwn(roots, root) || (!isDocument && cx.scope.actions.has(root)))
      return `a|${root}${path === "" ? "" : `::${path.replace(/^(?:\.|::)/, "")}`}|`;
    // In a URL, `${page}` is the number or the cursor of a page (spec/language 5.1.5).
    const isParam = !isDocument && path === "" && root !== "page" && cx.params?.has(root) === true;
    if (isParam) return `a|params::${root}|`;
    return isOfEnvironment && path === "" ? `a|env::${root}|` : undefined;
  };
}
