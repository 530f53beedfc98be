import type { Json, JsonObject } from "../../../value/json.ts";

/** A call of a tool that a model asks for. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** Undefined where the model has written no JSON object. */
  readonly args: JsonObject | undefined;
  /** The arguments as the model has written them. */
  readonly text: string;
}

/** The outcome of a call, as the model gets it. It is data, never an instruction of ours. */
export interface ToolResult {
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly ok: boolean;
}

/** A message, independent of any protocol; `blocks` are those of an answer (`ModelAnswer`). */
export type Message =
  | { readonly role: "user"; readonly content: Json }
  | { readonly role: "assistant"; readonly content: Json; readonly calls?: readonly ToolCall[]; readonly blocks?: readonly Json[] }
  | { readonly role: "tool"; readonly results: readonly ToolResult[] };

/** A tool as the model sees it. */
export interface ToolFace {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly schema: JsonObject;
}

export interface Usage {
  readonly input: number;
  readonly output: number;
}

/**
 * Why an answer has ended: `cut` means that it has reached its bound of tokens, `full` that the model can hold no more. `unfinished` has
 * the service's own reason when it is none of the known ends.
 */
export type Stop = "end" | "cut" | "full" | "refusal" | { readonly unfinished: string };

/** One answer of a model. */
export interface ModelAnswer {
  readonly text: string;
  readonly calls: readonly ToolCall[];
  /** The answer in the words of its protocol, when it holds thoughts: a model that calls tools needs its thoughts back unchanged. */
  readonly blocks?: readonly Json[];
  readonly stop: Stop;
  readonly usage: Usage;
}

/** Everything that a model is asked with. */
export interface Question {
  readonly model: string;
  readonly system: string | null;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolFace[];
  readonly temperature: number | null;
  readonly max_tokens: number;
  /** JSON Schema of the answer. */
  readonly schema: Json | undefined;
  readonly streams: boolean;
}

/** A protocol of language models. */
export interface ModelApi {
  /** Base address of the company behind it. */
  readonly address: string;
  /** The path behind the base address. */
  readonly path: string;
  readonly headers: (key: string | null) => Readonly<Record<string, string>>;
  readonly body: (question: Question, address: string) => JsonObject;
  /** Undefined for what is no answer of this protocol. */
  readonly answer: (body: Json) => ModelAnswer | undefined;
  /** The `blocks` of an answer that was streamed as these events. */
  readonly blocksOf?: (events: readonly Json[]) => readonly Json[] | undefined;
  /** Why a streamed answer has ended, where this event of it says so. */
  readonly stopIn: (event: Json) => Stop | undefined;
}
