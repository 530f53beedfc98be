import { modelServices } from "../../../outgoing/model-services.ts";
import { asList, isObject, type Json, type JsonObject } from "../../../value/json.ts";
import { at } from "../../../value/values.ts";
import { joinedBlocks } from "./anthropic-blocks.ts";
import type { Message, ModelApi, Question, ToolCall, ToolResult } from "./conversation.ts";
import { callOf, stopOf, textOf, usageIn } from "./parts.ts";

/** `POST /messages` of Anthropic. */
export const anthropic: ModelApi = {
  address: modelServices.anthropic,
  path: "/messages",
  headers: (key): Readonly<Record<string, string>> => ({
    "anthropic-version": "2023-06-01",
    ...(key === null ? {} : { "x-api-key": key }),
  }),
  body,
  answer(value) {
    const content = at(value, "content");
    if (!Array.isArray(content)) return undefined;
    const of = (type: string): readonly Json[] => asList(content).filter((block) => at(block, "type") === type);
    const calls = of("tool_use").map((block) => callOf(at(block, "id"), at(block, "name"), JSON.stringify(at(block, "input"))));
    const text = of("text").map((block) => textOf(at(block, "text")));
    const stop = stopOf(at(value, "stop_reason"));
    return { text: text.join(""), calls, ...thoughtful(content), stop, usage: usageIn(at(value, "usage")) };
  },
  blocksOf: (events) => thoughtful(joinedBlocks(events)).blocks,
  stopIn(event) {
    const reason = at(event, "delta", "stop_reason");
    return reason !== null || at(event, "type") === "message_stop" ? stopOf(reason) : undefined;
  },
};

function body({ model, system, messages, tools, temperature, max_tokens, schema, streams }: Question): JsonObject {
  // This protocol has no field for the form of an answer.
  const form = schema === undefined ? [] : [`Answer with nothing but JSON that satisfies this JSON Schema:\n${JSON.stringify(schema)}`];
  const texts = [...(system === null ? [] : [system]), ...form];
  return {
    model,
    max_tokens,
    ...(texts.length === 0 ? {} : { system: texts.join("\n\n") }),
    messages: alternating(messages),
    ...(tools.length === 0
      ? {}
      : { tools: tools.map(({ name, description, schema: input_schema }) => ({ name, description, input_schema })) }),
    ...(temperature === null ? {} : { temperature }),
    ...(streams ? { stream: true } : {}),
  };
}

/** Messages whose roles alternate. An answer without text and calls is left out, since the service would refuse it. */
function alternating(messages: readonly Message[]): JsonObject[] {
  const sent: { role: "user" | "assistant"; content: Json }[] = [];
  for (const message of messages) {
    const content = contentOf(message);
    if (message.role === "assistant" && isBlank(content)) continue;
    const role = message.role === "assistant" ? "assistant" : "user";
    const last = sent.at(-1);
    if (last?.role === role) last.content = [...parts(last.content), ...parts(content)];
    else sent.push({ role, content });
  }
  return sent;
}

function contentOf(message: Message): Json {
  if (message.role === "user") return message.content;
  if (message.role === "tool") return message.results.map(resultOf);
  const { content, calls, blocks } = message;
  if (calls === undefined) return content;
  return blocks === undefined ? blocksOf(content, calls) : [...blocks];
}

const parts = (content: Json): readonly Json[] =>
  Array.isArray(content) ? content : isBlank(content) ? [] : [{ type: "text", text: content }];

/** True for a content in which nothing is said. */
const isBlank = (content: Json): boolean =>
  Array.isArray(content)
    ? content.every((part) => at(part, "type") === "text" && isBlank(at(part, "text")))
    : content === null || (typeof content === "string" && content.trim() === "");

/** Blocks with thoughts: the service checks that they come back unchanged, in front of the calls that they led to. */
const thoughtful = (blocks: readonly Json[]): { readonly blocks?: readonly Json[] } =>
  blocks.some((block) => /^(?:redacted_)?thinking$/.test(textOf(at(block, "type")))) ? { blocks } : {};

const blocksOf = (content: Json, calls: readonly ToolCall[]): Json[] => [
  ...parts(content),
  ...calls.map(({ id, name, args }) => ({ type: "tool_use", id, name, input: isObject(args ?? null) ? (args ?? {}) : {} })),
];

const resultOf = ({ id, text, ok }: ToolResult): JsonObject => ({
  type: "tool_result",
  tool_use_id: id,
  content: text,
  ...(ok ? {} : { is_error: true }),
});
