import type { Severity } from "../../diagnostics/diagnostic.ts";

/** A range in LSP's terms: lines and UTF-16 columns from 0. */
export interface EditorRange {
  readonly start: { readonly line: number; readonly character: number };
  readonly end: { readonly line: number; readonly character: number };
}

/** A diagnostic of `check`, as plain data. */
export interface PlainDiagnostic {
  readonly path: string;
  readonly range: EditorRange;
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly hint?: string;
  readonly fix?: { readonly title: string; readonly text: string; readonly range: EditorRange; readonly path: string };
  readonly related: readonly { readonly path: string; readonly range: EditorRange; readonly message: string }[];
}

/** A request to analyse a project, with the texts of files that differ from the disk, by path. */
export interface Ask {
  readonly id: number;
  readonly folder: string;
  readonly paths: readonly string[];
  /** The requested environment, as by `--env`. */
  readonly environment: string | undefined;
  readonly texts: ReadonlyMap<string, string>;
}

/** All diagnostics of `check` for a project; `problem` is the reason if it cannot be analysed. */
export interface Answer {
  readonly id: number;
  readonly found: readonly PlainDiagnostic[];
  readonly problem?: string;
}
