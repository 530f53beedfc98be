import type { Json } from "#runtime/value/json.ts";
import type { Finding } from "../../diagnostics/diagnostic.ts";

/** The source of a marker's value, before any step. */
export interface Source {
  /** The root as written; it may be an unknown name. */
  readonly root: string;
  /** The text after `::`. */
  readonly path?: string;
  /** The text after `::jq::`. */
  readonly jq?: string;
  /** The text after `timestamp:`. */
  readonly format?: string;
}

/** One `a|…|`, with its wrapper if it has one. Offsets refer to the value of the scalar and include the wrapper. */
export interface Marker extends Source {
  readonly kind: "marker";
  readonly start: number;
  readonly end: number;
  readonly steps: readonly MarkerStep[];
}

/** One `->`: a filter, or a path into the value. A wrapper is a filter that is applied last. */
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
  /** True when the text is JSON, where `\\` is one character. */
  readonly json: boolean;
  readonly depth: number;
  readonly problems: Problem[];
  /** The number of markers without an end that may still be met before the search stops. */
  readonly unclosed: { left: number };
}
