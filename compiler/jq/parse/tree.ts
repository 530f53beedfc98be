/** A jq filter as a tree (grammar of jq 1.8). Offsets count UTF-16 units of the filter's text. */
export type Jq = { readonly start: number; readonly end: number } & JqNode;

export type JqNode =
  /** The filter `.`. */
  | { readonly kind: "identity" }
  /** The filter `..`. */
  | { readonly kind: "recurse" }
  /** A literal: `null`, `true`, `false` or a number. `written` is the text of a number. */
  | { readonly kind: "literal"; readonly value: null | boolean | number; readonly written?: string }
  /** A string, with its interpolated filters; `@base64 "…"` has a format. */
  | { readonly kind: "string"; readonly parts: readonly (string | Jq)[]; readonly format?: string }
  /** A format without a string: `@base64`. */
  | { readonly kind: "format"; readonly name: string }
  /** A step `.a`, `.["a"]`, `.[0]` or `.[f]`; with `?` only errors of this step are ignored. */
  | { readonly kind: "index"; readonly of: Jq; readonly key: Jq; readonly optional: boolean }
  | { readonly kind: "slice"; readonly of: Jq; readonly from?: Jq; readonly to?: Jq; readonly optional: boolean }
  /** The step `.[]`. */
  | { readonly kind: "iterate"; readonly of: Jq; readonly optional: boolean }
  /** A list `[f]`; `[]` has no `items`. */
  | { readonly kind: "list"; readonly items?: Jq }
  | { readonly kind: "object"; readonly entries: readonly { readonly key: Jq; readonly value: Jq }[] }
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "pipe"; readonly left: Jq; readonly right: Jq }
  | { readonly kind: "comma"; readonly left: Jq; readonly right: Jq }
  | { readonly kind: "binary"; readonly operator: Operator; readonly left: Jq; readonly right: Jq }
  /** An assignment with `=`, `|=` or `+=`; `operator` is the text before the equals sign. */
  | { readonly kind: "assign"; readonly operator: string; readonly left: Jq; readonly right: Jq }
  | { readonly kind: "negate"; readonly of: Jq }
  /** An `if`; each `elif` is an `if` in `no`. */
  | { readonly kind: "if"; readonly test: Jq; readonly yes: Jq; readonly no?: Jq }
  /** The filter `try f catch g`, or `f?`. */
  | { readonly kind: "try"; readonly body: Jq; readonly handler?: Jq }
  | { readonly kind: "reduce"; readonly source: Jq; readonly pattern: Pattern; readonly initial: Jq; readonly update: Jq }
  | {
      readonly kind: "foreach";
      readonly source: Jq;
      readonly pattern: Pattern;
      readonly initial: Jq;
      readonly update: Jq;
      readonly extract?: Jq;
    }
  /** The filter `f as $x | g`. */
  | { readonly kind: "bind"; readonly source: Jq; readonly pattern: Pattern; readonly body: Jq }
  | { readonly kind: "call"; readonly name: string; readonly args: readonly Jq[] }
  /** The filter `def f(g; $x): body; rest`. */
  | { readonly kind: "define"; readonly name: string; readonly params: readonly string[]; readonly body: Jq; readonly rest: Jq }
  | { readonly kind: "label"; readonly name: string; readonly body: Jq };

/** The names that `as` binds: a variable, or the parts of a list or an object. */
export type Pattern =
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "list"; readonly items: readonly Pattern[] }
  | { readonly kind: "object"; readonly entries: readonly PatternEntry[] };

/** An entry of an object pattern. `$x` and `$x: p` also bind the member itself. */
export interface PatternEntry {
  readonly key: Jq;
  readonly variable?: string;
  readonly pattern?: Pattern;
}

export type Operator = "//" | "or" | "and" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "+" | "-" | "*" | "/" | "%";
