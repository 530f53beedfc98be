import type { Act } from "../../../run/run.ts";
import type { Span } from "../../../tracing/tracer.ts";
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
}

/** The outcome of a tool, as text for the model. */
export interface Outcome {
  readonly text: string;
  readonly ok: boolean;
}

export interface Tool extends ToolFace {
  /** The arguments satisfy the schema. Rejects only with what ends the action. `span` is that of the call, where the run is traced. */
  readonly run: (act: Act, args: JsonObject, span: Span | undefined) => Promise<Outcome>;
}
