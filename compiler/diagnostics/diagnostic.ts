import type { Span } from "#runtime/plan/index.ts";

export type Severity = "error" | "warning" | "note";

/** An edit that corrects the mistake by replacing the text at `at`. */
export interface Fix {
  readonly title: string;
  readonly at: Span;
  readonly text: string;
}

/** A mistake that a phase has found, without its place. The tables of ./codes make it. */
export interface Finding {
  /** `PWnnn`: stable for ever, never renumbered (spec/language 8). */
  readonly code: string;
  readonly severity: Severity;
  /** One sentence with names in quotes and without a full stop. */
  readonly message: string;
  /** The remedy. */
  readonly hint?: string;
  /** The replacement for the text at the place of the diagnostic. */
  readonly instead?: string;
}

export interface Diagnostic extends Finding {
  readonly at: Span;
  readonly related?: readonly { readonly at: Span; readonly message: string }[];
  readonly fix?: Fix;
}

/** The function through which every phase reports. A phase continues as far as it can; the compiler never throws for a user's mistake. */
export type Report = (finding: Finding, at: Span, related?: Diagnostic["related"]) => void;

/** The error of a bug of ours: exit status 70, with a request to report it. */
export class InternalError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "InternalError";
  }
}

/** Compares by file, then place, then code: the order in which all renderings show diagnostics. */
export function byPlace(a: Diagnostic, b: Diagnostic): number {
  return compare(a.at.file, b.at.file) || a.at.start - b.at.start || compare(a.code, b.code) || compare(a.message, b.message);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
