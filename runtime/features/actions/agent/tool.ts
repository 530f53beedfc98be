import type { Act } from "../../../run/run.ts";
import type { TraceSpan } from "../../../tracing/tracer.ts";
import type { JsonObject } from "../../../value/json.ts";
import type { ToolFace } from "./conversation.ts";

/** An entry of `tools` after evaluation. The compiler has checked its form. */
export interface ToolArgs {
  readonly interface?: string;
  readonly name?: string;
  readonly description?: string;
  readonly mcp?: {
    readonly url: string | null;
    readonly headers?: JsonObject | null;
    readonly timeout?: number | null;
  };
  readonly allow?: readonly string[];
  readonly confirm?: ConfirmArgs;
}

/** `confirm` of a tool: whether a person agrees to each call, how the person hears of it, and for how long the call waits. */
export type ConfirmArgs = boolean | null | { readonly interface?: string | null; readonly timeout?: number | null };

/** How a person confirms a call that waits. */
export interface Confirmation {
  /** The interface that notifies the person. */
  readonly interface?: string;
  /** Milliseconds. */
  readonly timeout: number;
}

/** Milliseconds of a day. */
const usualTimeout = 86_400_000;

/** The confirmation that calls of a tool need; undefined when they need none. */
export function confirmationOf({ confirm = false }: ToolArgs): Confirmation | undefined {
  if (confirm === false || confirm === null) return undefined;
  if (confirm === true) return { timeout: usualTimeout };
  const { interface: target, timeout } = confirm;
  return { timeout: timeout ?? usualTimeout, ...(target ? { interface: target } : {}) };
}

/** The outcome of a tool, as text for the model. */
export interface ToolOutcome {
  readonly text: string;
  readonly ok: boolean;
}

/** The way in which an entry may call its tools, as a manifest lists it: by itself, or only when a person has confirmed the call. */
export const verbOf = (entry: ToolArgs): "call" | "confirm" => (confirmationOf(entry) === undefined ? "call" : "confirm");

export interface Tool extends ToolFace {
  readonly confirmation: Confirmation | undefined;
  /**
   * Runs a call whose arguments satisfy the schema. Rejects only with errors that end the action. `span` is that of the call, where the run
   * is traced.
   */
  readonly run: (act: Act, args: JsonObject, span: TraceSpan | undefined) => Promise<ToolOutcome>;
}
