import { Names } from "./names.ts";

/** The statement in which ajv stores a value of the data. */
const declaration = /^const (data\d+) = (\w+)(?:\.([\w$]+)|\["(\d+)"\]|\[(\w+)\]);$/gm;

/** Names by which the printer recognizes lines of a validator, so no value may get them. */
const ofPrinter = /^(?:formats|pattern|schema|err|len|func|_errs|data)\d|^errors$/;

/**
 * The only function of a validator, in which values have the names of their members instead of numbers: `email` for `data.email`,
 * `tags_item` for an item of `tags`. Its texts are still replaced by numbers.
 */
export function namedValues(code: string, texts: readonly string[]): string {
  const living = withoutUnread(code);
  const identifiers = new Names([...moduleWord, ...[...living.matchAll(words)].map(([word]) => word)]);
  const names = new Map<string, string>();
  for (const [, variable = "", parent = "", member, text, index] of living.matchAll(declaration)) {
    const of = parent === "data" ? "" : `${names.get(parent) ?? parent}_`;
    const word =
      member ??
      (text === undefined ? `${of}${index?.startsWith("i") ? "item" : "value"}` : String(JSON.parse(texts[Number(text)] ?? '""')));
    if (/^[A-Za-z_$][\w$]{0,39}$/.test(word) && !ofPrinter.test(word)) names.set(variable, identifiers.fresh(word));
  }
  for (const [, key = ""] of living.matchAll(/^for \(const (key\d+) of /gm)) names.set(key, identifiers.fresh("key"));
  return living.replace(/(?<![.\w$])(?:data|key)\d+\b/g, (variable) => names.get(variable) ?? variable);
}

/** Names of the runtime and of the findings, which no value may hide. */
const moduleWord = ["pw", "findings"];

/** Words that are not names of members. */
const words = /(?<![.\w$])[A-Za-z_$][\w$]*/g;

/**
 * Removes values that are never read. This must happen before the renaming, because members of the same name would later count as reads.
 */
function withoutUnread(code: string): string {
  const uses = new Map<string, number>();
  for (const [word] of code.matchAll(words)) uses.set(word, (uses.get(word) ?? 0) + 1);
  const less = code.replace(declaration, (line, variable: string) => (uses.get(variable) === 1 ? "" : line));
  return less === code ? code : withoutUnread(less);
}
