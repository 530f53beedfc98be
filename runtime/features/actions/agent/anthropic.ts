import { isObject, type Json, type JsonObject } from "../../../value/json.ts";
import { at } from "../../../value/values.ts";
import { joinedBlocks } from "./anthropic-blocks.ts";
import type { Message, ModelApi, Question, ToolCall, ToolResult } from "./conversation.ts";
import { callOf, listOf, textOf, usageIn } from "./parts.ts";

/** `POST /messages` of Anthropic. */
export const anthropic: ModelApi = {
  address: "https://api.anthropic.com/v1",
  path: "/messages",
  headers: (key): Readonly<Record<string, string>> => ({
    "anthropic-version": "2023-06-01",
    ...(key === null ? {} : { "x-api-key": key }),
  }),
  body,
  answer(value) {
    const content = at(value, "content");
    if (!Array.isArray(content)) return undefined;
    const of = (type: string): readonly Json[] => listOf(content).filter((block) => at(block, "type") === type);
    const calls = of("tool_use").map((block) => callOf(at(block, "id"), at(block, "name"), JSON.stringify(at(block, "input"))));
    const text = of("text").map((block) => textOf(at(block, "text")));
    const stop = at(value, "stop_reason") === this.cut ? "cut" : "end";
    return { text: text.join(""), calls, ...thoughtful(content), stop, usage: usageIn(at(value, "usage")) };
  },
  blocksOf: (events) => thoughtful(joinedBlocks(events)).blocks,
  stopOf: (event) => textOf(at(event, "delta", "stop_reason")) || undefined,
  cut: "max_tokens",
};

function body({ model, system, messages, tools, temperature, max_tokens, schema, streams }: Question): JsonObject {
  // This protocol has no field for the form of an answer.
  const form = schema === undefined ? [] : [`Answer with nothing but JSON that satisfies this JSON Schema:\n${JSON.stringify(schema)}`];
  const texts = [...(system === null ? [] : [system]), ...form];
  return {
    model,
    max_tokens,
    ...(texts.length === 0 ? {} : { system: texts.join("\n\n") }),
    messages: messages.map(messageOf),
    ...(tools.length === 0
      ? {}
      : { tools: tools.map(({ name, description, schema: input_schema }) => ({ name, description, input_schema })) }),
    ...(temperature === null ? {} : { temperature }),
    ...(streams ? { stream: true } : {}),
  };
}

function messageOf(message: Message): JsonObject {
  switch (message.role) {
    case "user":
      return { role: "user", content: message.content };
    case "assistant":
      return { role: "assistant", content: contentOf(message) };
    case "tool":
      return { role: "user", content: message.results.map(resultOf) };
  }
}

/** Blocks with thoughts: the service checks that they come back unchanged, in front of the calls that they led to. */
const thoughtful = (blocks: readonly Json[]): { readonly blocks?: readonly Json[] } =>
  blocks.some((block) => /^(?:redacted_)?thinking$/.test(textOf(at(block, "type")))) ? { blocks } : {};

function contentOf({ content, calls, blocks }: Extract<Message, { role: "assistant" }>): Json {
  if (calls === undefined) return content;
  return blocks === undefined ? blocksOf(content, calls) : [...blocks];
}

/** A text without characters is refused there. */
const blocksOf = (content: Json, calls: readonly ToolCall[]): Json[] => [
  ...(content === "" || content === null ? [] : Array.isArray(content) ? content : [{ type: "text", text: content }]),
  ...calls.map(({ id, name, args }) => ({ type: "tool_use", id, name, input: isObject(args ?? null) ? (args ?? {}) : {} })),
];

const resultOf = ({ id, text, ok }: ToolResult): JsonObject => ({
  type: "tool_result",
  tool_use_id: id,
  content: text,
  ...(ok ? {} : { is_error: true }),
});
