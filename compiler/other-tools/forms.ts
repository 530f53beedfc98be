/** Forms in which other tools write a value that is the whole text: `{{ body.name }}`, `${body.name}`, `$body.name`. */
const wholeForms = [
  /^\{\{-?\s*\.?([A-Za-z_][\w-]*)((?:[.[].*?)?)\s*-?\}\}$/s,
  /^\$\{\s*([A-Za-z_][\w-]*)((?:[.[].*?)?)\s*\}$/s,
  /^\$([A-Za-z_][\w-]*)([.[].*)$/s,
];

/** Our marker for a text that is, as a whole, a value in the form of another tool; undefined for any other text. */
export function markerFor(text: string): string | undefined {
  for (const form of wholeForms) {
    const [whole, root, rest = ""] = form.exec(text.trim()) ?? [];
    if (whole !== undefined) return `a|${root}${rest === "" ? "" : `::${rest.replace(/^\./, "")}`}|`;
  }
  return bareMarker.test(text) ? `a|${text}|` : undefined;
}

/** A whole text with the root and the path of a marker, but without its `a|` and `|`. */
export const bareMarker = /^(?<root>[A-Za-z_][\w-]*)::(?<path>[A-Za-z_[][\w.[\]*-]*)$/;

/** Forms of values inside a text; behind the path of the first there may be filters. The second is that of a node of n8n. */
export const valueForms: readonly RegExp[] = [
  /(?:^=|\$)?\{\{-?\s{0,9}[.$]?(?<root>[A-Za-z_][\w-]*)(?<path>(?:(?:\.|::)[\w-]+|\[[\w'"-]+\])*)\s{0,9}(?:\|[^{}]{0,200})?-?\}\}/g,
  /\{\{\s{0,9}\$(?:node\[|\()["'](?<root>[\w-]+)["'][\])](?:\.item|\.first\(\))?\.json(?<path>(?:\.[\w-]+|\[\w+\])*)\s{0,9}\}\}/g,
  /\$\{\s{0,9}(?<root>[A-Za-z_][\w-]*)(?<path>(?:\.[\w-]+|\[[\w'"-]+\])*)\s{0,9}\}/g,
  /(?:<%[=-]|#\{)\s{0,9}(?<root>[A-Za-z_][\w-]*)(?<path>(?:\.[\w-]+|\[[\w'"-]+\])*)\s{0,9}(?:-?%>|\})/g,
  /(?<![\w$])\$(?<root>[A-Za-z_][\w-]*)(?<path>(?:\.[A-Za-z_][\w-]*|\[[\w'"-]+\])+)/g,
];

/** A marker of which only the colons are wrong. In a query it stays text, since `a|b` is an expression there: `a|params.id|`. */
export const dottedMarker = /(?<![\w\\|])a\|(?<root>[A-Za-z_][\w-]*)[.:](?<path>[\w.-]+)\|/g;

/** The braces of another tool around a marker of ours, as the texts before and behind it: `${{ a|body::name| }}`. */
export const bracesAround = [/^(?:\$?\{\{|\$\{)\s*$/, /^\s*\}\}?$/] as const;

/** A parameter in a URL, as routes and API documents write it: `/users/{id}`. */
export const urlParameter = /(?<![{$])\{(?<root>[A-Za-z_][\w-]*)\}(?!\})/g;

/** A name in capitals, which other tools replace by a variable of the environment: `https://${API_HOST}/x`. */
export const environmentForm = /^(?:\$\{|\{\{)\s*[A-Z][A-Z0-9_]*\s*\}/;

/** A setting in the form of another tool: `${{ secrets.TOKEN }}`. */
export const settingForm = /\{\{\s*(?:secrets?|vars?|env)\./;

/**
 * A pattern with the slashes of JavaScript. Nothing stands before `^` or behind `$`, so that it matches nothing; with one of the two, an
 * alternative may match, and `\$` is a character.
 */
export const slashedPattern = /^\/(\^.*(?<!\\)\$|\^[^|]*|[^|]*(?<!\\)\$)\/([a-z]*)$/s;
