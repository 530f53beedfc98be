import type { Json } from "../value/json.ts";

// Facts about interfaces that are known before anything runs: the compiler writes them, the console shows them.

/** A kind of trigger; the map groups interfaces by it. */
export type TriggerKind = "http" | "schedule" | "ws" | "mqtt" | "mcp" | "cli" | "trigger" | "interfaces";

/** An interface as the map lists it. */
export interface MapFacts {
  readonly config: string;
  readonly interface: string;
  readonly file: string;
  /** The line in the file, from 1. */
  readonly line: number;
  readonly summary?: string;
  /** The ways to reach the interface, such as `POST /orders`. */
  readonly reached: readonly { readonly kind: TriggerKind; readonly text: string }[];
  /** The tests that authenticate callers, or a text that there are none. */
  readonly callers: readonly string[];
  /** The rules of the interface's network policy. */
  readonly policy: readonly string[];
  /** Things outside that the interface touches, such as `host api.example.com`. */
  readonly touches: readonly string[];
  readonly contract: { readonly input: boolean; readonly output: boolean };
  /** The number of the compiler's warnings in the interface's lines. */
  readonly warnings: number;
}

/** An action of the graph. */
export interface NodeFacts {
  readonly name: string;
  /** The work of the action: `http`, `database`, `input`, `lookup`. */
  readonly does: string;
  /** Actions for which it waits, each with the reason: a gate of the YAML, or `reads`. */
  readonly after: readonly { readonly name: string; readonly why: string }[];
  readonly reads: readonly string[];
  readonly touches: readonly string[];
  readonly line: number;
  /** The actions of its loop. */
  readonly inside: readonly NodeFacts[];
}

/** A diagnostic in the lines of an interface. */
export interface WarningFacts {
  readonly code: string;
  readonly severity: string;
  readonly message: string;
  readonly hint?: string;
  readonly line: number;
}

/** An interface as its own page shows it. */
export interface InterfaceFacts extends MapFacts {
  readonly nodes: readonly NodeFacts[];
  readonly yaml: { readonly first: number; readonly lines: readonly string[] };
  /** Lines of the printed module, each with its line of YAML, 0 for none. */
  readonly code: readonly { readonly text: string; readonly line: number }[];
  readonly schemas: { readonly input?: Json; readonly output?: Json; readonly params?: Json; readonly input_example?: Json };
  readonly needs: { readonly env: readonly string[]; readonly vars: readonly string[]; readonly secrets: readonly string[] };
  readonly diagnostics: readonly WarningFacts[];
}

/** The facts of all interfaces, in the same order. The facts for an interface's own page are JSON text, which is sent unchanged. */
export interface ConsoleFacts {
  readonly map: readonly MapFacts[];
  readonly pages: readonly string[];
}
