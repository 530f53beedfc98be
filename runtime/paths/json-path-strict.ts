// Refuses queries that json-p3 lets pass although RFC 9535 does not.

/** A mistake in a query, and the offset of the character where it shows. */
export interface Fault {
  readonly reason: string;
  readonly at: number;
}

/** A fault that is found while the library's tree is read. */
export class NotInRfc extends Error {
  readonly fault: Fault;
  constructor(reason: string, at: number) {
    super(reason);
    this.fault = { reason, at };
  }
}

/** Deepest nesting of a query. Deeper ones are refused here, before the recursion of the library fails. */
const deepest = 100;

const quoted = String.raw`'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"`;

/** Faults that show in the text alone. */
export function textFault(text: string): Fault | undefined {
  let depth = 0;
  for (const { 0: word, index } of text.matchAll(new RegExp(String.raw`${quoted}|!\s*!|[()[\]]`, "gs"))) {
    if (word.startsWith("!")) return { reason: "'!' stands twice", at: index };
    if (word === "(" || word === "[") depth += 1;
    if (word === ")" || word === "]") depth -= 1;
    if (depth > deepest) return { reason: `it is nested more than ${deepest} deep`, at: index };
  }
  return undefined;
}

/** A token of the library: its text and the offset of its first character. For a text in quotes both leave out the opening quote. */
interface Token {
  readonly index: number;
  readonly value: string;
}

/** True when a side of a comparison stands in parentheses of its own: the library's tree does not show them. */
export function isGrouped(text: string, left: Token, operator: Token, right: Token): boolean {
  const start = /^['"]/.test(text.slice(left.index - 1)) ? left.index - 1 : left.index;
  const before = text.slice(start, operator.index).replace(new RegExp(quoted, "gs"), "");
  const between = text.slice(operator.index + operator.value.length, right.index);
  return before.split(")").length > before.split("(").length || between.includes("(");
}
