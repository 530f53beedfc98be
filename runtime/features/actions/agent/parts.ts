import { parseJson } from "../../../formats/json-text.ts";
import { isObject, type Json, type JsonObject, own } from "../../../value/json.ts";
import { show } from "../../../value/show.ts";
import type { Stop, ToolCall, Usage } from "./conversation.ts";

// Functions that read the answers of services. No member of an answer has a guaranteed type.

export const textOf = (value: Json): string => (typeof value === "string" ? value : "");

/** A count of tokens; a value that is no count is 0. */
const tokens = (value: Json | undefined): number => (typeof value === "number" && value > 0 && Number.isSafeInteger(value) ? value : 0);

/** Counts of tokens under either pair of names. */
export function usageIn(usage: Json): Usage {
  if (!isObject(usage)) return { input: 0, output: 0 };
  const of = (...names: readonly string[]): number => names.reduce((sum, name) => Math.max(sum, tokens(own(usage, name))), 0);
  const cached = tokens(own(usage, "cache_read_input_tokens")) + tokens(own(usage, "cache_creation_input_tokens"));
  return { input: of("prompt_tokens", "input_tokens") + cached, output: of("completion_tokens", "output_tokens") };
}

/** The arguments of a call as JSON text: some services send the object itself. A missing member is no arguments. */
export function argumentsIn(value: Json | undefined): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** A call whose arguments are JSON text; no text at all is no arguments. */
export function callOf(id: Json, name: Json, text: string): ToolCall {
  const value = text.trim() === "" ? {} : parseJson(text);
  const args: JsonObject | undefined = value !== undefined && isObject(value) ? value : undefined;
  return { id: textOf(id), name: textOf(name), args, text };
}

/** The known reasons for which services end an answer; an answer with any other reason is unfinished. */
const stops: ReadonlyMap<string, Stop> = new Map([
  ...["stop", "eos", "end_turn", "stop_sequence", "tool_calls", "function_call", "tool_use", ""].map((reason) => [reason, "end"] as const),
  ...["refusal", "content_filter"].map((reason) => [reason, "refusal"] as const),
  ...["length", "max_tokens"].map((reason) => [reason, "cut"] as const),
  ...["model_context_window_exceeded", "model_length"].map((reason) => [reason, "full"] as const),
]);

/** Why an answer has ended, by the reason that the service gives; services write it in small letters or in large ones. */
export function stopOf(reason: Json): Stop {
  if (reason === null) return "end";
  const text = show(reason);
  return stops.get(text.toLowerCase()) ?? { unfinished: text };
}
