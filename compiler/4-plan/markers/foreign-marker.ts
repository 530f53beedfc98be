import type { Context } from "#runtime/features/feature.ts";
import { roots } from "#runtime/run/marker-roots.ts";
import { marker as codes } from "../../diagnostics/codes/marker.ts";
import { reportAt, type Scalar } from "../lower/scalar.ts";
import { filterArity } from "./filter-words.ts";
import type { TemplatePart } from "./marker.ts";
import type { Lowering } from "./scope.ts";

/** Forms in which other tools write a value into a text: `{{ body.name }}`, `${body.name}`, `$body.name`. */
const wholeForms = [
  /^\{\{-?\s*\.?([A-Za-z_][\w-]*)((?:[.[].*?)?)\s*-?\}\}$/s,
  /^\$\{\s*([A-Za-z_][\w-]*)((?:[.[].*?)?)\s*\}$/s,
  /^\$([A-Za-z_][\w-]*)([.[].*)$/s,
];

/** Our marker for a text that is, as a whole, a value in the form of another tool; undefined for any other text. */
export function foreignMarker(text: string): string | undefined {
  for (const form of wholeForms) {
    const [whole, root, rest = ""] = form.exec(text.trim()) ?? [];
    if (whole !== undefined) return `a|${root}${rest === "" ? "" : `::${rest.replace(/^\./, "")}`}|`;
  }
  return undefined;
}

/** The forms of other tools inside a text; behind the path of the first there may be filters. */
const embedded = [
  /\{\{-?\s{0,9}\.?(?<root>[A-Za-z_][\w-]*)(?<path>(?:\.[\w-]+|\[[\w'"-]+\])*)\s{0,9}(?:\|[^{}]{0,200})?-?\}\}/g,
  /\$\{\s{0,9}(?<root>[A-Za-z_][\w-]*)(?<path>(?:\.[\w-]+|\[[\w'"-]+\])*)\s{0,9}\}/g,
  /(?<![\w$])\$(?<root>[A-Za-z_][\w-]*)(?<path>(?:\.[A-Za-z_][\w-]*|\[[\w'"-]+\])+)/g,
];

/** Markers with a capital, with blanks or without the letter, which are text: `A|body::name|`, `a| body::name |`, `|body::name|`. */
const nearMarker = /(?<![\w\\|])(?:A\|\s{0,9}|a\|\s{1,9}|\|)(?<root>[A-Za-z_][\w-]*)::(?<path>[\w.-]+)\s{0,9}\|/g;

/** A parameter in a URL, as it is written in routes and in API documents: `/users/{id}`. */
const placeholder = /(?<![{$])\{(?<root>[A-Za-z_][\w-]*)\}(?!\})/g;

/** Contexts whose own language gives such a text a meaning. */
const ownForms: ReadonlySet<Context | undefined> = new Set(["shell", "regex", "css", "like", "expression", "source", "path"]);

/**
 * Warns of values in the form of another tool inside a text (PW296), but only when the name exists here: otherwise the reader of the text
 * may understand the form.
 */
export function checkForeignForms(scalar: Scalar, context: Context | undefined, cx: Lowering): void {
  const { template } = scalar;
  if (ownForms.has(context) || !/[{$|]/.test(template.text)) return;
  const marker = knownMarker(context, cx);
  const forms = [...embedded, nearMarker, ...(context === "url" ? [placeholder] : [])];
  for (const [i, part] of template.parts.entries()) {
    if (part.kind !== "text") continue;
    const text = template.text.slice(part.start, part.end);
    checkPipedFilter(text, template.parts[i - 1], scalar, cx);
    for (const match of forms.flatMap((form) => [...text.matchAll(form)])) {
      const { root = "", path = "" } = match.groups ?? {};
      const instead = marker(root, path);
      if (instead === undefined) continue;
      const start = part.start + match.index;
      reportAt(codes.otherTool(match[0], instead), { start, end: start + match[0].length }, scalar, cx.report);
    }
  }
}

/** A filter behind the pipe that ends the marker before it, as in Jinja: `a|body::name|upper|`. */
function checkPipedFilter(text: string, before: TemplatePart | undefined, scalar: Scalar, { report }: Lowering): void {
  const [all, call = "", name = ""] = /^ ?((\w+)(?:\([^()|]*\))?) ?\|/.exec(text) ?? [];
  if (all === undefined || before?.kind !== "marker" || filterArity(name) === undefined) return;
  const source = scalar.template.text.slice(before.start, before.end);
  reportAt(
    codes.otherTool(`${source}${all}`, `${source.slice(0, -1).trimEnd()}->${call}|`),
    { start: before.start, end: before.end + all.length },
    scalar,
    report,
  );
}

/** The marker that a name with a path stands for, or undefined when nothing of that name is known at the place. */
function knownMarker(context: Context | undefined, cx: Lowering): (root: string, path: string) => string | undefined {
  // A body may be a page or a template of another tool, with names of its own.
  const isDocument = context === "json_text" || cx.markup !== undefined || cx.scope.open.length > 0;
  return (root, path) => {
    if (Object.hasOwn(roots, root) || (!isDocument && cx.scope.actions.has(root)))
      return `a|${root}${path === "" ? "" : `::${path.replace(/^\./, "")}`}|`;
    // In a URL, `${page}` is the number or the cursor of a page (spec/language 5.1.5).
    const isParam = !isDocument && path === "" && root !== "page" && cx.params?.has(root) === true;
    return isParam ? `a|params::${root}|` : undefined;
  };
}
