/** Forms in which other tools write a value into a text: `{{ body.name }}`, `${body.name}`, `$body.name`. */
const forms = [
  /^\{\{-?\s*\.?([A-Za-z_][\w-]*)((?:[.[].*?)?)\s*-?\}\}$/s,
  /^\$\{\s*([A-Za-z_][\w-]*)((?:[.[].*?)?)\s*\}$/s,
  /^\$([A-Za-z_][\w-]*)([.[].*)$/s,
];

/** The marker that a text of another tool means as a whole; undefined for any other text. */
export function foreignMarker(text: string): string | undefined {
  for (const form of forms) {
    const [whole, root, rest = ""] = form.exec(text.trim()) ?? [];
    if (whole !== undefined) return `a|${root}${rest === "" ? "" : `::${rest.replace(/^\./, "")}`}|`;
  }
  return undefined;
}
