import { Reject } from "../value/failure.ts";

/**
 * An expression of which only the syntax is known. `math` and the matcher `expression` share the grammar; languages/expression.ts gives it
 * a meaning.
 */
export type Tree =
  | { readonly kind: "literal"; readonly value: number | string | boolean | null }
  | { readonly kind: "marker"; readonly index: number }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "field"; readonly steps: readonly FieldStep[] }
  | { readonly kind: "group"; readonly of: Tree }
  | { readonly kind: "call"; readonly name: string; readonly args: readonly Tree[] }
  | { readonly kind: "sign"; readonly operator: Sign; readonly of: Tree }
  | { readonly kind: "operation"; readonly operator: Operator; readonly left: Tree; readonly right: Tree };

/** A step of `target.<path>`: a name, an index or, by its number, a marker that is one key. */
export type FieldStep = string | number | { readonly marker: number };

/** Operators between two operands, and how tightly they bind. */
const powers = {
  "||": 1,
  "&&": 2,
  "==": 3,
  "!=": 3,
  "<": 4,
  "<=": 4,
  ">": 4,
  ">=": 4,
  "+": 5,
  "-": 5,
  "*": 6,
  "/": 6,
  "%": 6,
  "^": 7,
} as const;

export type Operator = keyof typeof powers;
export type Sign = "-" | "!";

const isOperator = (text: string): text is Operator => Object.hasOwn(powers, text);
const isSign = (text: string): text is Sign => text === "-" || text === "!";

const longest = 4096;
/** Signs, parentheses and powers inside each other. */
const deepest = 200;

/** The diagnostic of an expression that is not in the language. */
export const refused = (reason: string): Reject => new Reject("PW513", `bad expression: ${reason}`);

/** The tree of an expression; what is not in the grammar is PW513, with the number of the character. */
export function parseExpression(text: string): Tree {
  if (text.length > longest) throw refused(`it is longer than ${longest} characters`);
  const tokens = new Tokens(text);
  if (tokens.isAtEnd) throw refused("it is empty");
  const tree = operation(tokens, 0, 0);
  if (!tokens.isAtEnd) throw tokens.wrong(tokens.next === ")" ? "')' closes nothing" : "an operator is missing");
  return tree;
}

const blanks = /[ \t\r\n]*/y;
const numeral = /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?(?![\w$.\u0080-\uFFFF])/y;
const quotation = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/sy;
const word = /[A-Za-z_$\u0080-\uFFFF][\w$\u0080-\uFFFF]*/y;
/** Matches the longest sign first. Some signs belong only to JavaScript: they are matched so that a message can name them. */
const operator = /[=!]={0,2}|\?\?|&&?|\|\|?|<<|>>>?|[<>]=?|\*\*|[-+*/%^?~]/y;
const pathAhead = /target(?=\s*[.[])/y;
/**
 * Matches one step: a name behind a dot (which may be left out behind brackets), an index or a quoted name in brackets, or a marker in
 * either place.
 */
const step = new RegExp(
  String.raw`\s*(?:(?:\.\s*)?\[\s*(?:\$(\d+)|(-?\d+)|(${quotation.source}))\s*\]|(?:\.\s*|(?<=\]))(?:\$(\d+)|([\w\u0080-\uFFFF]+)))`,
  "sy",
);

/** The place of the parser in a text. Each of its patterns is matched at that place only, so that the work is linear. */
class Tokens {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
    this.take(blanks);
  }

  get isAtEnd(): boolean {
    return this.#at === this.#text.length;
  }

  /** The next character. */
  get next(): string {
    return this.#text.charAt(this.#at);
  }

  /** Matches a pattern and goes behind it. */
  take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text) ?? undefined;
    if (match !== undefined) this.#at = pattern.lastIndex;
    if (match !== undefined && pattern !== blanks && pattern !== pathAhead) this.take(blanks);
    return match;
  }

  /** Goes behind a sign if it is next. */
  skip(sign: string): boolean {
    if (this.next !== sign) return false;
    this.#at += 1;
    this.take(blanks);
    return true;
  }

  /** The operator that is next, without going behind it. */
  peek(): string | undefined {
    operator.lastIndex = this.#at;
    return operator.exec(this.#text)?.[0];
  }

  wrong(reason: string): Reject {
    return refused(`${reason}, at character ${this.#at + 1}`);
  }
}

/** Reads an operand, and the operators behind it that bind more tightly than `least`: a Pratt parser. */
function operation(tokens: Tokens, least: number, depth: number): Tree {
  let left = operand(tokens, depth);
  for (;;) {
    const sign = tokens.peek();
    if (tokens.next === "." || tokens.next === "[") throw refused("only fields, written target.<field>, have members");
    if (sign === undefined || sign === "!" || sign === "~") return left;
    if (!isOperator(sign)) throw refused(foreign(sign));
    if (powers[sign] <= least) return left;
    tokens.take(operator);
    // A power goes from right to left: on its right, operators that bind as tightly belong to it.
    const right = sign === "^" ? operation(tokens, powers[sign] - 1, depth + 1) : operation(tokens, powers[sign], depth);
    left = { kind: "operation", operator: sign, left, right };
  }
}

const foreign = (sign: string): string =>
  sign === "?"
    ? "'?' is not in the language; math has if(condition, a, b)"
    : sign === "="
      ? "'=' is not in the language; '==' compares"
      : `operator '${sign}' is not in the language`;

function operand(tokens: Tokens, depth: number): Tree {
  if (depth > deepest) throw refused(`it is nested deeper than ${deepest} levels`);
  const sign = tokens.peek();
  if (sign !== undefined && isSign(sign)) {
    tokens.take(operator);
    // Only a power binds more tightly than a sign before an operand.
    return { kind: "sign", operator: sign, of: operation(tokens, powers["^"] - 1, depth + 1) };
  }
  if (sign === "+" || sign === "~") throw refused(foreign(sign));
  return group(tokens, depth) ?? literal(tokens) ?? named(tokens, depth);
}

function group(tokens: Tokens, depth: number): Tree | undefined {
  if (!tokens.skip("(")) return undefined;
  const of = operation(tokens, 0, depth + 1);
  if (tokens.next === ",") throw refused("parentheses hold one expression");
  if (!tokens.skip(")")) throw tokens.wrong("')' is missing");
  return { kind: "group", of };
}

function literal(tokens: Tokens): Tree | undefined {
  const [quoted] = tokens.take(quotation) ?? [];
  if (quoted !== undefined) return { kind: "literal", value: unquoted(quoted) };
  if (tokens.next === '"' || tokens.next === "'") throw tokens.wrong("the quote is not closed");
  const [number] = tokens.take(numeral) ?? [];
  if (number === undefined && /[\d.]/.test(tokens.next)) throw tokens.wrong("a number is not finished");
  if (number === undefined) return undefined;
  const value = Number(number);
  if (!Number.isFinite(value)) throw refused(`${number} is too large`);
  return { kind: "literal", value };
}

function named(tokens: Tokens, depth: number): Tree {
  if (tokens.take(pathAhead) !== undefined) return { kind: "field", steps: fieldSteps(tokens) };
  const [name] = tokens.take(word) ?? [];
  if (name === undefined) throw tokens.wrong(tokens.next === "[" ? "lists are not in the language" : "an operand is missing");
  if (tokens.next === "(" && /^[A-Za-z]\w*$/.test(name)) return { kind: "call", name, args: args(tokens, depth) };
  if (name === "null") return { kind: "literal", value: null };
  if (name === "true" || name === "false") return { kind: "literal", value: name === "true" };
  return /^\$\d+$/.test(name) ? { kind: "marker", index: Number(name.slice(1)) } : { kind: "name", name };
}

/** The arguments of a function, with one comma between any two. */
function args(tokens: Tokens, depth: number): readonly Tree[] {
  const items: Tree[] = [];
  tokens.skip("(");
  do items.push(operation(tokens, 0, depth + 1));
  while (tokens.skip(","));
  if (!tokens.skip(")")) throw tokens.wrong("')' is missing");
  return items;
}

function fieldSteps(tokens: Tokens): readonly FieldStep[] {
  const steps: FieldStep[] = [];
  for (let match = tokens.take(step); match !== undefined; match = tokens.take(step)) {
    const [, inBrackets, index, quoted, marker = inBrackets, name] = match;
    if (marker !== undefined) steps.push({ marker: Number(marker) });
    else steps.push(name ?? (quoted === undefined ? safe(Number(index)) : unquoted(quoted)));
  }
  if (tokens.next === "[") throw refused("brackets hold an index or a quoted name");
  if (tokens.next === ".") throw tokens.wrong("a name is missing behind the dot");
  return steps;
}

function safe(index: number): number {
  if (!Number.isSafeInteger(index)) throw refused("an index is out of range");
  return index;
}

const escapes: ReadonlyMap<string, string> = new Map(Object.entries({ n: "\n", r: "\r", t: "\t", b: "\b", f: "\f", v: "\v" }));

/** A character of a text in quotes, or the one that `\` and a letter stand for. */
export const unescaped = (token: string): string => (token.length < 2 ? token : (escapes.get(token.slice(1)) ?? token.slice(1)));

const unquoted = (quoted: string): string => quoted.slice(1, -1).replace(/\\./gs, unescaped);
