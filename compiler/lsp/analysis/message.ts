import type { Severity } from "../../diagnostics/diagnostic.ts";

/** A place in LSP's terms: lines and UTF-16 columns from 0. */
export interface FoundRange {
  readonly start: { readonly line: number; readonly character: number };
  readonly end: { readonly line: number; readonly character: number };
}

/** A diagnostic of `check`, as plain data. */
export interface Found {
  readonly path: string;
  readonly range: FoundRange;
  readonly code: string;
  readonly severity: Severity;
  readonly message: string;
  readonly hint?: string;
  readonly fix?: { readonly title: string; readonly text: string; readonly range: FoundRange; readonly path: string };
  readonly related: readonly { readonly path: string; readonly range: FoundRange; readonly message: string }[];
}

/** A project to look at, and the texts of its files that differ from the disk, by path. */
export interface Ask {
  readonly id: number;
  readonly folder: string;
  readonly paths: readonly string[];
  /** The environment that was asked for, as by `--env`. */
  readonly environment: string | undefined;
  readonly texts: ReadonlyMap<string, string>;
}

/** All that `check` says of a project; `problem`: it cannot be looked at. */
export interface Answer {
  readonly id: number;
  readonly found: readonly Found[];
  readonly problem?: string;
}
