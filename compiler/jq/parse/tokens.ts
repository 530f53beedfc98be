/** A token of jq. */
export type Token = Plain | Quoted;

export interface Plain {
  readonly kind: "symbol" | "word" | "field" | "variable" | "format" | "number";
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** A string: its text, and the tokens of the interpolated filters. */
export interface Quoted {
  readonly kind: "string";
  readonly parts: readonly (string | readonly Token[])[];
  readonly start: number;
  readonly end: number;
}

/** The error for a text that is no filter of jq 1.8, or exceeds our bounds. Only jq itself decides whether the filter is right. */
export class NotRead extends Error {
  readonly start: number;
  constructor(reason: string, start: number) {
    super(reason);
    this.name = "NotRead";
    this.start = start;
  }
}

/** The deepest nesting of filters, strings and brackets. */
export const deepest = 100;

const pieces: readonly (readonly [Plain["kind"], RegExp])[] = [
  ["number", /(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?/y],
  ["variable", /\$(?:__loc__|(?:[A-Za-z_]\w*::)*[A-Za-z_]\w*)/y],
  ["format", /@\w+/y],
  ["field", /\.[A-Za-z_]\w*/y],
  ["word", /(?:[A-Za-z_]\w*::)*[A-Za-z_]\w*/y],
  ["symbol", /\?\/\/=?|\/\/=?|\|=|[-+*/%]=|[!=<>]=|\.\.|[.[\]{}()|,:;?=<>+\-*/%$]/y],
];

const space = /(?:[ \t\r\n]+|#(?:[^\n\\]|\\(?!\r?\n))*(?:\n|$))+/y;

/** Splits a filter into tokens, from `start` to the end, or to the parenthesis that ends an interpolation. */
export function tokens(text: string): readonly Token[] {
  // jq stops reading at a NUL.
  if (text.includes("\0")) throw new NotRead("a NUL character", text.indexOf("\0"));
  const { tokens, end } = scan(text, 0, 0);
  if (end < text.length) throw new NotRead("unbalanced parenthesis", end);
  return tokens;
}

function scan(text: string, from: number, depth: number): { readonly tokens: Token[]; readonly end: number } {
  if (depth > deepest) throw new NotRead("too deeply nested", from);
  const tokens: Token[] = [];
  let open = 0;
  let at = from;
  for (;;) {
    at += match(space, text, at)?.length ?? 0;
    if (at >= text.length) return { tokens, end: at };
    const token = text[at] === '"' ? string(text, at, depth) : piece(text, at);
    if (token.kind === "symbol" && token.text === "(") open += 1;
    if (token.kind === "symbol" && token.text === ")") {
      if (open === 0) return { tokens, end: at };
      open -= 1;
    }
    tokens.push(token);
    at = token.end;
  }
}

function piece(text: string, start: number): Token {
  for (const [kind, pattern] of pieces) {
    const token = match(pattern, text, start);
    if (token !== undefined) return { kind, text: token, start, end: start + token.length };
  }
  throw new NotRead(`unexpected '${text[start]}'`, start);
}

const escapes: Readonly<Record<string, string>> = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

function string(text: string, start: number, depth: number): Token {
  const parts: (string | readonly Token[])[] = [];
  let chunk = "";
  let at = start + 1;
  while (text[at] !== '"') {
    if (at >= text.length) throw new NotRead("unfinished string", start);
    if (text[at] !== "\\") chunk += text[at++];
    else if (text[at + 1] === "(") {
      const { tokens, end } = scan(text, at + 2, depth + 1);
      if (text[end] !== ")") throw new NotRead("unfinished string", start);
      parts.push(chunk, tokens);
      chunk = "";
      at = end + 1;
    } else {
      const unit = match(/\\u([0-9A-Fa-f]{4})/y, text, at);
      const plain = escapes[text[at + 1] ?? ""];
      if (unit === undefined && plain === undefined) throw new NotRead("invalid escape", at);
      chunk += unit === undefined ? plain : String.fromCharCode(Number.parseInt(unit.slice(2), 16));
      at += unit?.length ?? 2;
    }
  }
  parts.push(chunk);
  if (parts.some((part) => typeof part === "string" && !part.isWellFormed())) throw new NotRead("half a surrogate pair", start);
  return { kind: "string", parts, start, end: at + 1 };
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  const lexeme = pattern.exec(text)?.[0];
  return lexeme === "" ? undefined : lexeme;
}
