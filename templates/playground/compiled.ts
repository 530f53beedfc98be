import type { MapFacts, NodeFacts } from "../../runtime/console/facts.ts";

// Messages between the page and its worker are plain data.

/** The files of a project by their names: configurations, and modules below `modules/`. */
export type Files = readonly (readonly [name: string, text: string])[];

export interface Question {
  readonly id: number;
  readonly files: Files;
}

/** A diagnostic as the page shows it. */
export interface Shown {
  readonly code: string;
  readonly severity: "error" | "warning" | "note";
  readonly message: string;
  readonly hint?: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Offset in the file. */
  readonly start: number;
  readonly end: number;
  readonly frame: string;
  /** The text that replaces the range when the user applies the fix. */
  readonly fix?: { readonly title: string; readonly text: string; readonly file: string; readonly start: number; readonly end: number };
}

/** The actions of an interface. */
export interface Drawn extends Pick<MapFacts, "config" | "interface" | "file" | "line" | "reached"> {
  readonly nodes: readonly NodeFacts[];
}

export interface Compiled {
  readonly diagnostics: readonly Shown[];
  readonly summary: string;
  /** Empty where there are errors. */
  readonly modules: readonly { readonly file: string; readonly name: string; readonly code: string }[];
  readonly graphs: readonly Drawn[];
  /** Number of patterns for which only the command can prove that JavaScript may run them. */
  readonly unproven: number;
  /** Number of jq filters that only the command checks with jq itself. */
  readonly filters: number;
  /** The pages of the diagnostic codes that occur, by code. */
  readonly pages: Readonly<Record<string, string>>;
}

export type Answer = { readonly ready: true } | ({ readonly id: number } & ({ readonly compiled: Compiled } | { readonly broken: string }));
