import { Names } from "./names.ts";

/** Where ajv keeps a value of the data. */
const declaration = /^const (data\d+) = (\w+)(?:\.([\w$]+)|\["(\d+)"\]|\[(\w+)\]);$/gm;

/** The names that the lines of a validator are told apart by. */
const ofPrinter = /^(?:formats|pattern|schema|err|len|func|_errs|data)\d|^errors$/;

/**
 * The only function of a validator with values named after their members, in place of numbers: `email` for `data.email`, `tags_item` for an
 * item of `tags`. Its texts are numbers still.
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

/** No value hides the runtime. */
const moduleWord = ["pw", "findings"];

/** A word that is no member. */
const words = /(?<![.\w$])[A-Za-z_$][\w$]*/g;

/** Values that nothing reads are left out here: later, members of the same name would pass for reads. */
function withoutUnread(code: string): string {
  const uses = new Map<string, number>();
  for (const [word] of code.matchAll(words)) uses.set(word, (uses.get(word) ?? 0) + 1);
  const less = code.replace(declaration, (line, variable: string) => (uses.get(variable) === 1 ? "" : line));
  return less === code ? code : withoutUnread(less);
}
