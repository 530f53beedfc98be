import type { Dialect } from "../../plan/dialect.ts";

/** The surroundings of a point of SQL text. No hole can be filled safely in the second group; the names are those of its diagnostic. */
export type SqlPlace =
  | ("bare" | "string" | "escape string" | "double quotes" | "escape double quotes" | "backticks" | "brackets")
  | ("comment" | "dollar quote" | "Unicode escape string" | "escape sequence" | "bracketed name");

/** A placeholder, or an operator of PostgreSQL that looks like one. */
export type Mark =
  | { readonly kind: "numbered"; readonly text: string; readonly number: number }
  /** SQLite's `:name`, `@name` and `$name`. */
  | { readonly kind: "named"; readonly text: string }
  /** `?`; `operand` says that a value follows it, which is true only of an operator. */
  | { readonly kind: "question"; readonly text: string; readonly operand: boolean }
  | { readonly kind: "operator"; readonly text: string };

/** A token of a query, without blanks and comments. The tokens decide what a value at a bare place means. */
export type SqlToken =
  /** In small letters; `@name` and `#name` of SQL Server are words, too. */
  | { readonly kind: "word"; readonly text: string }
  /** A constant in quotes. */
  | { readonly kind: "string" }
  /** A name in quotes; without a text where a value or an escape stands in it. */
  | { readonly kind: "name"; readonly text?: string }
  | { readonly kind: "number" }
  | { readonly kind: "mark"; readonly mark: Mark }
  | { readonly kind: "sign"; readonly text: string }
  | { readonly kind: "hole"; readonly index: number; readonly raw: boolean };

/**
 * A quote or comment: the place that its text is, and a pattern that finds its end. The groups of the pattern tell an end from a sign that
 * only looks like one.
 */
interface Quote {
  readonly place: SqlPlace;
  readonly stops: RegExp;
}

/** A form that may stand outside of quotes; the first pattern that matches counts. */
interface Rule {
  readonly pattern: RegExp;
  readonly opens?: Quote;
  readonly mark?: Mark["kind"];
  /** Starts or ends text that only some versions of the server run; others take it for a comment. */
  readonly conditional?: "starts" | "ends";
}

const string: Quote = { place: "string", stops: /''|(?<end>')/g };
const doubleQuotes: Quote = { place: "double quotes", stops: /""|(?<end>")/g };
const escapeString: Quote = { place: "escape string", stops: /\\.|(?<dangling>\\)|''|(?<end>')/gs };
const backticks: Quote = { place: "backticks", stops: /``|(?<end>`)/g };
const flatComment: Quote = { place: "comment", stops: /(?<end>\*\/)/g };
const nestedComment: Quote = { place: "comment", stops: /(?<end>\*\/)|(?<deeper>\/\*)/g };
const lineComment: Quote = { place: "comment", stops: /(?<end>\n)/g };

/** A name or a number, inside which no other token starts. Like the servers, the lexer takes any character beyond ASCII for a letter. */
const word: Rule = { pattern: /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*|\d\w*/y };
const blank: Rule = { pattern: /\s+/y };

const rules: Readonly<Record<Dialect, readonly Rule[]>> = {
  postgres: [
    { pattern: /[eE]'/y, opens: escapeString },
    { pattern: /[uU]&'/y, opens: { place: "Unicode escape string", stops: /''|(?<end>')/g } },
    { pattern: /[uU]&"/y, opens: { place: "Unicode escape string", stops: /""|(?<end>")/g } },
    word,
    blank,
    { pattern: /'/y, opens: string },
    { pattern: /"/y, opens: doubleQuotes },
    { pattern: /--/y, opens: { place: "comment", stops: /(?<end>[\r\n])/g } },
    { pattern: /\/\*/y, opens: nestedComment },
    { pattern: /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y, opens: { place: "dollar quote", stops: /(?<end>)/g } },
    { pattern: /[$?]\d+/y, mark: "numbered" },
    { pattern: /\?[|&](?![|&])|@\?/y, mark: "operator" },
    { pattern: /\?/y, mark: "question" },
  ],
  // With the modes that the driver sets: backslashes escape, and "..." is a string (runtime/features/actions/database/mysql.ts).
  mysql: [
    word,
    blank,
    { pattern: /'/y, opens: escapeString },
    { pattern: /"/y, opens: { place: "escape double quotes", stops: /\\.|(?<dangling>\\)|""|(?<end>")/gs } },
    { pattern: /`/y, opens: backticks },
    // Without a blank behind it `--` means minus twice; a value that follows is written with a blank before it.
    { pattern: /--(?=[\0-\x20\x7f]|$)/y, opens: lineComment },
    { pattern: /#/y, opens: lineComment },
    { pattern: /\/\*M?!\d*/y, conditional: "starts" },
    { pattern: /\*\//y, conditional: "ends" },
    { pattern: /\/\*/y, opens: flatComment },
    { pattern: /[$?]\d+/y, mark: "numbered" },
    { pattern: /\?/y, mark: "question" },
  ],
  mssql: [
    { pattern: /@[pP]\d+(?![\w$#@])/y, mark: "numbered" },
    // `@name` is a variable, `#name` a temporary table.
    { pattern: /[@#][\w$#@\u0080-\uffff]*/y },
    word,
    blank,
    { pattern: /'/y, opens: string },
    { pattern: /"/y, opens: doubleQuotes },
    { pattern: /\[/y, opens: { place: "brackets", stops: /\]\]|(?<end>\])/g } },
    { pattern: /--/y, opens: lineComment },
    { pattern: /\/\*/y, opens: nestedComment },
    { pattern: /[$?]\d+/y, mark: "numbered" },
    { pattern: /\?/y, mark: "question" },
  ],
  sqlite: [
    word,
    blank,
    { pattern: /'/y, opens: string },
    { pattern: /"/y, opens: doubleQuotes },
    { pattern: /`/y, opens: backticks },
    { pattern: /\[/y, opens: { place: "bracketed name", stops: /(?<end>\])/g } },
    { pattern: /--/y, opens: lineComment },
    { pattern: /\/\*/y, opens: flatComment },
    { pattern: /[$?]\d+/y, mark: "numbered" },
    { pattern: /[$:@][A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y, mark: "named" },
    { pattern: /\?/y, mark: "question" },
  ],
};

/**
 * Reads the literal text of a query piece by piece, and knows after each piece in which place a hole would be. A value stands between two
 * pieces: quotes and comments go on from one piece to the next, other tokens do not.
 */
export class SqlLexer {
  /** All tokens that were read so far. */
  readonly tokens: SqlToken[] = [];
  readonly #rules: readonly Rule[];
  #open: Quote | undefined;
  #depth = 0;
  #dangling = false;
  /** The offset in the piece at which the text of an open name begins. */
  #nameFrom: number | undefined;
  /**
   * True when the text stands inside a conditional comment, or behind one with quotes: then the version of the server decides whether these
   * quotes count.
   */
  #conditional: "no" | "inside" | "doubtful" = "no";
  /** After the end of an `E'...'` PostgreSQL takes the next string for its continuation when only blanks and comments stand between. */
  #continues: Quote | undefined;

  constructor(dialect: Dialect) {
    this.#rules = rules[dialect];
  }

  /** The place in which the text that was read so far ends. */
  get place(): SqlPlace {
    if (this.#dangling) return "escape sequence";
    return this.#conditional === "no" ? (this.#open?.place ?? "bare") : "comment";
  }

  /** Reads a piece of the query into texts and marks. `more`: a value follows the piece. */
  read(piece: string, more: boolean): (string | Mark)[] {
    const parts: (string | Mark)[] = [];
    let copied = 0;
    let at = 0;
    this.#nameFrom = undefined;
    while (at < piece.length) {
      if (this.#open !== undefined) {
        at = this.#skip(this.#open, piece, at);
        continue;
      }
      const { text, kind } = this.#next(piece, at);
      if (kind !== undefined) {
        if (at > copied) parts.push(piece.slice(copied, at));
        const placeholder = mark(kind, text, piece.slice(at + text.length), more);
        parts.push(placeholder);
        this.tokens.push({ kind: "mark", mark: placeholder });
        copied = at + text.length;
      }
      at += text.length;
    }
    if (copied < piece.length) parts.push(piece.slice(copied));
    if (this.#open === undefined) this.#continues = undefined;
    return parts;
  }

  /** Tells the lexer that a value stands here. The value is a token of its own unless it is inside quotes. */
  hole(index: number, raw: boolean): void {
    if (this.place === "bare") this.tokens.push({ kind: "hole", index, raw });
  }

  /** Reads the next token outside of quotes, and opens the quote that it starts. */
  #next(piece: string, at: number): { readonly text: string; readonly kind?: Mark["kind"] | undefined } {
    for (const rule of this.#rules) {
      rule.pattern.lastIndex = at;
      const text = rule.pattern.exec(piece)?.[0];
      if (text === undefined) continue;
      if (this.#conditional !== "doubtful") this.#conditional = this.#judged(rule);
      if (rule.opens !== undefined) this.#start(rule.opens, text);
      else if (rule !== blank) this.#continues = undefined;
      const token = rule.mark === undefined ? tokenOf(rule, text) : undefined;
      if (token !== undefined) this.tokens.push(token);
      this.#nameFrom = token?.kind === "name" && rule.opens?.place !== "Unicode escape string" ? at + text.length : undefined;
      return { text, kind: rule.mark };
    }
    this.#continues = undefined;
    const text = piece.charAt(at);
    this.tokens.push({ kind: "sign", text });
    return { text };
  }

  #judged({ conditional, opens }: Rule): "no" | "inside" | "doubtful" {
    if (conditional !== undefined) return conditional === "starts" ? "inside" : "no";
    return this.#conditional === "inside" && opens !== undefined ? "doubtful" : this.#conditional;
  }

  #start(quote: Quote, text: string): void {
    this.#depth = 0;
    if (quote.place === "dollar quote") this.#open = { ...quote, stops: new RegExp(`(?<end>${text.replaceAll("$", "\\$")})`, "g") };
    else this.#open = quote === string ? (this.#continues ?? quote) : quote;
  }

  /** The offset behind the end of the quote, or that of the piece when it ends elsewhere. */
  #skip(quote: Quote, piece: string, from: number): number {
    quote.stops.lastIndex = from;
    this.#dangling = false;
    for (let match = quote.stops.exec(piece); match !== null; match = quote.stops.exec(piece)) {
      const { end, deeper, dangling } = match.groups ?? {};
      if (dangling !== undefined) this.#dangling = true;
      if (deeper !== undefined) this.#depth += 1;
      if (end === undefined) continue;
      if (this.#depth === 0) {
        this.#open = undefined;
        if (this.#nameFrom !== undefined)
          this.tokens[this.tokens.length - 1] = { kind: "name", text: piece.slice(this.#nameFrom, match.index) };
        if (quote.place !== "comment")
          this.#continues = quote.place === "escape string" || quote.place === "Unicode escape string" ? quote : undefined;
        return match.index + end.length;
      }
      this.#depth -= 1;
    }
    return piece.length;
  }
}

function tokenOf({ pattern, opens, conditional }: Rule, text: string): SqlToken | undefined {
  if (conditional !== undefined || pattern === blank.pattern) return undefined;
  switch (opens?.place) {
    case undefined:
      return /^\d/.test(text) ? { kind: "number" } : { kind: "word", text: text.toLowerCase() };
    case "comment":
      return undefined;
    case "string":
    case "escape string":
    case "escape double quotes":
    case "dollar quote":
      return { kind: "string" };
    case "Unicode escape string":
      return { kind: text.endsWith("'") ? "string" : "name" };
    default:
      return { kind: "name" };
  }
}

function mark(kind: Mark["kind"], text: string, rest: string, more: boolean): Mark {
  if (kind === "numbered") return { kind, text, number: Number(text.replace(/^\D+/, "")) };
  return kind === "question" ? { kind, text, operand: operandFollows(rest, more) } : { kind, text };
}

/** True when a value follows a `?`, which is then an operator: a placeholder is itself a value, and two values never stand side by side. */
function operandFollows(rest: string, more: boolean): boolean {
  const next = rest.trimStart();
  return next === "" ? more : /^(?:['(?$]|e'|array\b)/i.test(next);
}
