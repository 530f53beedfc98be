import { asList, isObject, type Json } from "../../../value/json.ts";
import { at } from "../../../value/values.ts";

/** A call of a tool that a model asks for, while its parts arrive. */
export interface ToolCall {
  id: string | null;
  name: string;
  /** JSON text. */
  input: string;
}

/** The calls that events ask for, in the order in which they begin. */
export class ToolCalls {
  readonly all: Readonly<ToolCall>[] = [];
  /** The call that is at each place of the answer. */
  readonly #at = new Map<string, ToolCall>();

  /** Adds what an event says of calls of tools. */
  add(event: Json): void {
    for (const part of partsOf(event)) {
      const call = this.#at.get(part.place);
      if (call === undefined || isAnother(call, part)) this.#begin(part);
      else {
        call.id ??= part.id;
        call.name ||= part.name;
        call.input += part.input;
      }
    }
  }

  #begin({ place, id, name, input }: ToolCallPart): void {
    const call = { id, name, input };
    this.#at.set(place, call);
    this.all.push(call);
  }
}

/** Some services give all calls one place: a name with another id begins a call. Others make up an id for each part, without a name. */
const isAnother = (call: ToolCall, { id, name }: ToolCallPart): boolean =>
  name !== "" && call.name !== "" && id !== null && call.id !== null && id !== call.id;

interface ToolCallPart extends Readonly<ToolCall> {
  readonly place: string;
}

/** OpenAI chat, Anthropic, OpenAI Responses and Gemini, each in its own words. */
function partsOf(event: Json): readonly ToolCallPart[] {
  if (!isObject(event)) return [];
  const index = string(at(event, "index"));
  switch (event.type) {
    case "content_block_start": {
      const block = at(event, "content_block");
      return at(block, "type") === "tool_use" ? [part(index, at(block, "id"), at(block, "name"), whole(at(block, "input")))] : [];
    }
    case "content_block_delta":
      return at(event, "delta", "type") === "input_json_delta" ? [part(index, null, null, at(event, "delta", "partial_json"))] : [];
    case "response.output_item.done": {
      const item = at(event, "item");
      const place = string(at(event, "output_index"));
      return at(item, "type") === "function_call" ? [part(place, at(item, "call_id"), at(item, "name"), at(item, "arguments"))] : [];
    }
  }
  const calls = asList(at(event, "candidates", 0, "content", "parts")).flatMap((one) => at(one, "functionCall") ?? []);
  return [
    ...asList(at(event, "choices", 0, "delta", "tool_calls")).map((call) =>
      part(string(at(call, "index")), at(call, "id"), at(call, "function", "name"), at(call, "function", "arguments")),
    ),
    // A call of this kind arrives complete and without an index, so that its name and its arguments identify it.
    ...calls.map((call) => {
      const input = JSON.stringify(at(call, "args") ?? {});
      return part(`${string(at(call, "name"))} ${input}`, at(call, "id"), at(call, "name"), input);
    }),
  ];
}

const part = (place: string, id: Json, name: Json, input: Json): ToolCallPart => ({
  place,
  id: typeof id === "string" && id !== "" ? id : null,
  name: typeof name === "string" ? name : "",
  input: input === null ? "" : typeof input === "string" ? input : JSON.stringify(input),
});

/** The input with which a call of Anthropic begins: an empty object stands for what follows in parts. */
const whole = (input: Json): Json => (isObject(input) && Object.keys(input).length === 0 ? null : input);

const string = (value: Json): string => (typeof value === "number" || typeof value === "string" ? String(value) : "");
