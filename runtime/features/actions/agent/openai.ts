import { modelServices } from "../../../outgoing/model-services.ts";
import { asList, isObject, type Json, type JsonObject, own } from "../../../value/json.ts";
import { at } from "../../../value/values.ts";
import { isRefusal, messageText } from "../http/stream-text.ts";
import type { Message, ModelApi, Question, ToolCall } from "./conversation.ts";
import { argumentsIn, callOf, stopOf, usageIn } from "./parts.ts";

/** `POST /chat/completions` of OpenAI, which most other services and local models speak, too. */
export const openai: ModelApi = {
  address: modelServices.openai,
  path: "/chat/completions",
  headers: (key): Readonly<Record<string, string>> => (key === null ? {} : { authorization: `Bearer ${key}` }),
  body,
  answer(value) {
    const message = at(value, "choices", 0, "message");
    const reason = at(value, "choices", 0, "finish_reason");
    if (!isObject(message) || reason === "error") return undefined;
    const calls = asList(message.tool_calls).map(callIn);
    const stop = stopOf(reason);
    const usage = usageIn(at(value, "usage"));
    return { text: messageText(message), calls, stop: stop === "end" && isRefusal(message) ? "refusal" : stop, usage };
  },
  stopIn(event) {
    const reason = at(event, "choices", 0, "finish_reason");
    return reason === null ? undefined : stopOf(reason);
  },
};

function callIn(call: Json): ToolCall {
  const called = at(call, "function");
  return callOf(at(call, "id"), at(called, "name"), argumentsIn(isObject(called) ? own(called, "arguments") : undefined));
}

function body(question: Question, address: string): JsonObject {
  const { model, system, messages, tools, temperature, max_tokens, schema, streams } = question;
  return {
    model,
    messages: [...(system === null ? [] : [{ role: "system", content: system }]), ...messages.flatMap(messageOf)],
    ...(tools.length === 0 ? {} : { tools: tools.map(toolOf) }),
    ...(temperature === null ? {} : { temperature }),
    [takesNewName(address, model) ? "max_completion_tokens" : "max_tokens"]: max_tokens,
    ...(schema === undefined ? {} : { response_format: { type: "json_schema", json_schema: { name: "output", schema } } }),
    ...(streams ? { stream: true, stream_options: { include_usage: true } } : {}),
  };
}

/**
 * True when the bound of tokens is sent by its new name. OpenAI has renamed it, and its newer models refuse the old name on any service.
 * Other services may know only the old name.
 */
const takesNewName = (address: string, model: string): boolean =>
  /(?:^|\.)openai\.com$/.test(URL.parse(address)?.hostname ?? "") || /^(?:.*\/)?(?:o[1-9]|gpt-[5-9])/.test(model);

const toolOf = ({ name, description, schema }: Question["tools"][number]): JsonObject => ({
  type: "function",
  function: { name, description, parameters: schema },
});

function messageOf(message: Message): Json[] {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: message.content }];
    case "assistant": {
      const calls = message.calls ?? [];
      return [{ role: "assistant", content: message.content, ...(calls.length === 0 ? {} : { tool_calls: calls.map(callAsSent) }) }];
    }
    case "tool":
      return message.results.map(({ id, text }) => ({ role: "tool", tool_call_id: id, content: text }));
  }
}

const callAsSent = ({ id, name, text }: ToolCall): JsonObject => ({ id, type: "function", function: { name, arguments: text } });
