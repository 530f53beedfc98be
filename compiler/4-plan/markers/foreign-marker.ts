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
  /(?:^=|\$)?\{\{-?\s{0,9}[.$]?(?<root>[A-Za-z_][\w-]*)(?<path>(?:\.[\w-]+|\[[\w'"-]+\])*)\s{0,9}(?:\|[^{}]{0,200})?-?\}\}/g,
  /\$\{\s{0,9}(?<root>[A-Za-z_][\w-]*)(?<path>(?:\.[\w-]+|\[[\w'"-]+\])*)\s{0,9}\}/g,
  /(?<![\w$])\$(?<root>[A-Za-z_][\w-]*)(?<path>(?:\.[A-Za-z_][\w-]*|\[[\w'"-]+\])+)/g,
];

/** Markers with a capital, with blanks or without the letter, which are text: `A|body::name|`, `a| body::name |`, `|body::name|`. */
const nearMarker = /(?<![\w\\|])(?:A\|\s{0,9}|a\|\s{1,9}|\|)(?<root>[A-Za-z_][\w-]*)::(?<path>[\w.-]+)\s{0,9}\|/g;

/** A parameter in a URL, as it is written in routes and in API documents: `/users/{id}`. */
const placeholder = /(?<![{$])\{(?<root>[A-Za-z_][\w-]*)\}(?!\})/g;

/** Words of other tools for a root, each with a name behind it: `${{ secrets.TOKEN }}`. */
const foreignRoots: Readonly<Record<string, string>> = { secrets: "secret", vars: "var", inputs: "params", json: "body" };

/** A name in capitals in a URL, which other tools replace by a variable of the environment: `https://${API_HOST}/x`. */
const ofEnvironment = /^(?:\$\{|\{\{)\s*[A-Z][A-Z0-9_]*\s*\}/;

/**
 * A pattern with the slashes of JavaScript. Nothing stands before `^` or behind `$`, so that it matches nothing; with one of the two, an
 * alternative may match, and `\$` is a character.
 */
const slashed = /^\/(\^.*(?<!\\)\$|\^[^|]*|[^|]*(?<!\\)\$)\/([a-z]*)$/s;

/** Contexts whose own language gives such a text a meaning. */
const ownForms: ReadonlySet<Context | undefined> = new Set(["shell", "regex", "css", "like", "expression", "source", "path"]);

/**
 * Warns of values in the form of another tool inside a text (PW296), but only when the name exists here: fallback the reader of the text
 * may understand the form.
 */
export function checkForeignForms(scalar: Scalar, context: Context | undefined, cx: Lowering): void {
  const { template } = scalar;
  if (context === "regex") checkSlashes(scalar, cx);
  if (ownForms.has(context) || !/[{$|]/.test(template.text)) return;
  const marker = knownMarker(context, cx);
  const forms = [...embedded, nearMarker, ...(context === "url" ? [placeholder] : [])];
  for (const [i, part] of template.parts.entries()) {
    if (part.kind !== "text") continue;
    const text = template.text.slice(part.start, part.end);
    checkPipedFilter(text, template.parts[i - 1], scalar, cx);
    let end = 0;
    for (const match of forms.flatMap((form) => [...text.matchAll(form)]).sort((a, b) => a.index - b.index)) {
      const { root = "", path = "" } = match.groups ?? {};
      const instead = marker(root, path, context === "url" && ofEnvironment.test(match[0]));
      // One form may have another inside: `{{ $json.body.x }}`.
      if (instead === undefined || match.index < end) continue;
      end = match.index + match[0].length;
      reportAt(codes.otherTool(match[0], instead), { start: part.start + match.index, end: part.start + end }, scalar, cx.report);
    }
  }
}

function checkSlashes({ node, template }: Scalar, { report }: Lowering): void {
  const [, pattern, flags = ""] = slashed.exec(template.text) ?? [];
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
    const [root, path] = isDocument ? [word, behind] : rootOf(word, behind);
    if (Object.hasOwn(roots, root) || (!isDocument && cx.scope.actions.has(root)))
      return `a|${root}${path === "" ? "" : `::${path.replace(/^\./, "")}`}|`;
    // In a URL, `${page}` is the number or the cursor of a page (spec/language 5.1.5).
    const isParam = !isDocument && path === "" && root !== "page" && cx.params?.has(root) === true;
    if (isParam) return `a|params::${root}|`;
    return isOfEnvironment && path === "" ? `a|env::${root}|` : undefined;
  };
}

/** The root that a word of another tool stands for, and the path behind it. In n8n `$json.body.x` is a part of the request. */
function rootOf(word: string, behind: string): readonly [string, string] {
  const root = Object.hasOwn(foreignRoots, word) ? foreignRoots[word] : undefined;
  if (root === undefined || behind === "") return [word, behind];
  const [, part, rest = ""] = /^\.(body|params|headers)(\..*)?$/s.exec(behind) ?? [];
  return word === "json" && part !== undefined ? [part, rest] : [root, behind];
}
