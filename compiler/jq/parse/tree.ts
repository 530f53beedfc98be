/** A jq filter as a tree (grammar of jq 1.8). Offsets count UTF-16 units of the filter's text. */
export type Jq = { readonly start: number; readonly end: number } & JqNode;

export type JqNode =
  /** `.` */
  | { readonly kind: "identity" }
  /** `..` */
  | { readonly kind: "recurse" }
  /** `null`, `true`, `false`, a number; `written` is a number's own text. */
  | { readonly kind: "literal"; readonly value: null | boolean | number; readonly written?: string }
  /** A string, with filters where it is interpolated; `@base64 "…"` has a format. */
  | { readonly kind: "string"; readonly parts: readonly (string | Jq)[]; readonly format?: string }
  /** `@base64` by itself. */
  | { readonly kind: "format"; readonly name: string }
  /** `.a`, `.["a"]`, `.[0]`, `.[f]`: with `?` only this step may fail in silence. */
  | { readonly kind: "index"; readonly of: Jq; readonly key: Jq; readonly optional: boolean }
  | { readonly kind: "slice"; readonly of: Jq; readonly from?: Jq; readonly to?: Jq; readonly optional: boolean }
  /** `.[]` */
  | { readonly kind: "iterate"; readonly of: Jq; readonly optional: boolean }
  /** `[f]`; `[]` has none. */
  | { readonly kind: "list"; readonly items?: Jq }
  | { readonly kind: "object"; readonly entries: readonly { readonly key: Jq; readonly value: Jq }[] }
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "pipe"; readonly left: Jq; readonly right: Jq }
  | { readonly kind: "comma"; readonly left: Jq; readonly right: Jq }
  | { readonly kind: "binary"; readonly operator: Operator; readonly left: Jq; readonly right: Jq }
  /** `=`, `|=` and `+=` alike: `operator` is what stands before the equals sign. */
  | { readonly kind: "assign"; readonly operator: string; readonly left: Jq; readonly right: Jq }
  | { readonly kind: "negate"; readonly of: Jq }
  /** `if`, each `elif` one deeper. */
  | { readonly kind: "if"; readonly test: Jq; readonly yes: Jq; readonly no?: Jq }
  /** `try f catch g`, and `f?`. */
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
  /** `f as $x | g` */
  | { readonly kind: "bind"; readonly source: Jq; readonly pattern: Pattern; readonly body: Jq }
  | { readonly kind: "call"; readonly name: string; readonly args: readonly Jq[] }
  /** `def f(g; $x): body; rest` */
  | { readonly kind: "define"; readonly name: string; readonly params: readonly string[]; readonly body: Jq; readonly rest: Jq }
  | { readonly kind: "label"; readonly name: string; readonly body: Jq };

/** The names that `as` binds: a variable, or the parts of a list or an object. */
export type Pattern =
  | { readonly kind: "variable"; readonly name: string }
  | { readonly kind: "list"; readonly items: readonly Pattern[] }
  | { readonly kind: "object"; readonly entries: readonly PatternEntry[] };

/** `$x` and `$x: p` bind the member, too. */
export interface PatternEntry {
  readonly key: Jq;
  readonly variable?: string;
  readonly pattern?: Pattern;
}

export type Operator = "//" | "or" | "and" | "==" | "!=" | "<" | "<=" | ">" | ">=" | "+" | "-" | "*" | "/" | "%";
