import type { Span } from "#runtime/plan/index.ts";

export type Severity = "error" | "warning" | "note";

/** An edit that would mend the mistake: replaces the text of `at`. */
export interface Fix {
  readonly title: string;
  readonly at: Span;
  readonly text: string;
}

/** A mistake that a phase has found, before it has a place. Made by the tables of ./codes. */
export interface Finding {
  /** `PWnnn`: stable for ever, never renumbered (spec/language 8). */
  readonly code: string;
  readonly severity: Severity;
  /** One sentence, names in quotes, no full stop. */
  readonly message: string;
  /** The remedy. */
  readonly hint?: string;
  /** Replacement for the text the diagnostic points at. */
  readonly instead?: string;
}

export interface Diagnostic extends Finding {
  readonly at: Span;
  readonly related?: readonly { readonly at: Span; readonly message: string }[];
  readonly fix?: Fix;
}

/** Every phase reports through this and goes on as far as it can; nothing in the compiler throws for a user's mistake. */
export type Report = (finding: Finding, at: Span, related?: Diagnostic["related"]) => void;

/** Thrown only for our own mistakes: exit status 70 with a request to report it. */
export class InternalError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "InternalError";
  }
}

/** By file, then place, then code: the order of every rendering. */
export function byPlace(a: Diagnostic, b: Diagnostic): number {
  return compare(a.at.file, b.at.file) || a.at.start - b.at.start || compare(a.code, b.code) || compare(a.message, b.message);
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
