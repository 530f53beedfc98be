/** A pattern of the subset that both engines read in the same way (docs/architecture.md, Regular expressions). */
export type Pattern = readonly Sequence[];

/** One branch of an alternation. */
export type Sequence = readonly Term[];

export type Term =
  /** One character of a set; `text` is the set in JavaScript. */
  | { readonly kind: "set"; readonly text: string }
  | { readonly kind: "edge"; readonly text: "^" | "$" | "\\b" }
  | { readonly kind: "group"; readonly captures: boolean; readonly name?: string; readonly body: Pattern }
  | Repeat;

export interface Repeat {
  readonly kind: "repeat";
  readonly least: number;
  readonly most: number;
  readonly lazy: boolean;
  readonly body: Term;
}

/** All terms of a pattern, outer ones first. */
export function* termsOf(pattern: Pattern): Generator<Term> {
  for (const term of pattern.flat()) yield* withInner(term);
}

/** A term and the terms in it. */
export function* withInner(term: Term): Generator<Term> {
  yield term;
  if (term.kind === "group") yield* termsOf(term.body);
  if (term.kind === "repeat") yield* withInner(term.body);
}

/** The least number of characters of a match. */
export function shortest(term: Term): number {
  switch (term.kind) {
    case "set":
      return 1;
    case "edge":
      return 0;
    case "group":
      return Math.min(...term.body.map((branch) => branch.reduce((sum, each) => sum + shortest(each), 0)));
    case "repeat":
      return term.least * shortest(term.body);
  }
}

/** The number of terms when repetitions are written out. An unbounded repetition counts as its least number and one more. */
export function size(term: Term): number {
  switch (term.kind) {
    case "set":
    case "edge":
      return 1;
    case "group":
      return term.body.flat().reduce((sum, each) => sum + size(each), 1);
    case "repeat":
      return size(term.body) * (term.most === Number.POSITIVE_INFINITY ? term.least + 1 : term.most);
  }
}

/** The pattern as JavaScript writes it, for the flag `u`. */
export const patternSource = (pattern: Pattern): string => pattern.map((branch) => branch.map(writtenTerm).join("")).join("|");

function writtenTerm(term: Term): string {
  switch (term.kind) {
    case "set":
    case "edge":
      return term.text;
    case "group":
      return `(${term.captures ? (term.name === undefined ? "" : `?<${term.name}>`) : "?:"}${patternSource(term.body)})`;
    case "repeat":
      return `${writtenTerm(term.body)}${times(term)}${term.lazy ? "?" : ""}`;
  }
}

function times({ least, most }: Repeat): string {
  if (most === Number.POSITIVE_INFINITY) return least === 0 ? "*" : least === 1 ? "+" : `{${least},}`;
  if (least === 0 && most === 1) return "?";
  return least === most ? `{${least}}` : `{${least},${most}}`;
}
