import type { Json } from "./json.ts";
import type { FallbackStrategy } from "./plan.ts";
import type { Run } from "./run.ts";

/** The static part of `response` (language.md 7.3). */
export interface ResponseSpec {
  readonly http_code_on_error?: number;
  readonly http_code_inherit_error?: readonly string[];
  readonly http_code_fallback?: number;
  readonly http_code_fallback_strategy?: FallbackStrategy;
}

/** What a module exports for each interface; triggers bind it, tests call it. */
export interface Interface {
  readonly name: string;
  readonly http?: { readonly method: string; readonly route: string };
  readonly output: "http" | "cli" | "none";
  readonly silence?: true;
  readonly show_error_detail?: true;
  readonly response?: ResponseSpec;
  /** Starts every action of the run in order; the run itself waits for them. */
  readonly run: (cx: Run) => void;
}

/** A backend that `database` actions talk to; see runtime/actions/database.ts. */
export interface Database {
  readonly name: string;
  readonly driver: string;
}

/** What a module exports for its config: one object, listed by the entry. */
export interface Config {
  readonly name: string;
  /** `global.variables`: evaluated once per run, on first use (language.md 1.4). */
  readonly variables?: Readonly<Record<string, (cx: Run) => Json>>;
  readonly interfaces: readonly Interface[];
  readonly needs: { readonly env: readonly string[]; readonly vars: readonly string[]; readonly secrets: readonly string[] };
  /** Opens a connection to each database and asks it one question: the needs behind `/readyz`. */
  readonly databases?: readonly { readonly name: string; readonly ping: (cx: Run) => Promise<void> }[];
}
