import type { Json } from "#runtime/value/json.ts";
import type { Finding } from "../../diagnostics/diagnostic.ts";

/** Where a marker gets its value, before any step. */
export interface Source {
  /** As written; not always a name that exists. */
  readonly root: string;
  /** After `::`. */
  readonly path?: string;
  /** After `::jq::`. */
  readonly jq?: string;
  /** After `timestamp:`. */
  readonly format?: string;
}

/** One `a|…|`, or one with a wrapper around it. Offsets are into the value of the scalar, the wrapper included. */
export interface Marker extends Source {
  readonly kind: "marker";
  readonly start: number;
  readonly end: number;
  readonly steps: readonly MarkerStep[];
}

/** One `->`: a filter, or a path into the value. A wrapper is a filter applied last. */
export type MarkerStep =
  | { readonly kind: "filter"; readonly name: string; readonly argument?: Argument }
  | { readonly kind: "path"; readonly path: string };

export type Argument = { readonly kind: "literal"; readonly value: Json } | Template;

/** An argument with markers in it. */
export interface Template {
  readonly kind: "template";
  readonly parts: readonly TemplatePart[];
}

/** Literal text; an escape `\a|` is a part of its own, whose text is `a|`. */
export interface Literal {
  readonly kind: "text";
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

export type TemplatePart = Literal | Marker;

/** A mistake inside a text, with its place in it. */
export interface Problem {
  readonly finding: Finding;
  readonly start: number;
  readonly end: number;
}

/** A range of a text that is being read. */
export interface Range {
  readonly text: string;
  readonly from: number;
  readonly to: number;
  readonly code: boolean;
  /** Whether the text is JSON, where `\\` is one character. */
  readonly json: boolean;
  readonly depth: number;
  readonly problems: Problem[];
  /** How many starts of markers may still turn out to have no end before the search stops. */
  readonly unclosed: { left: number };
}
