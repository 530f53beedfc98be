import { Failure } from "../../../value/failure.ts";
import { isObject, type Json, own } from "../../../value/json.ts";
import type { Message } from "./conversation.ts";

/** choice: messages of a conversation that a caller may bring. */
const most = 1000;

/** The messages with which a run begins: its prompt, or the conversation that it is given. */
export function begin({ prompt, messages }: { readonly prompt?: string | null; readonly messages?: Json }): readonly Message[] {
  if (messages === undefined) {
    if (prompt === undefined || prompt === null || prompt === "") throw wrong("prompt", "expected text, got none");
    return [{ role: "user", content: prompt }];
  }
  if (!Array.isArray(messages) || messages.length === 0) throw wrong("messages", "expected a list of messages");
  if (messages.length > most) throw wrong("messages", `more than ${most}`);
  const all = messages.map(messageOf);
  if (all.at(-1)?.role !== "user") throw wrong("messages", "the last one is not of the user");
  return all;
}

/** A message of a conversation. Only the configuration speaks as the system, and a caller cannot invent results of tools. */
function messageOf(message: Json): Message {
  const role = isObject(message) ? own(message, "role") : undefined;
  const content = isObject(message) ? own(message, "content") : undefined;
  if (role !== "user" && role !== "assistant") throw wrong("messages", "a role is user or assistant");
  if (typeof content !== "string" && !Array.isArray(content)) throw wrong("messages", "the content is a text or a list of parts");
  if (Array.isArray(content) && !content.every(isPlainPart)) throw wrong("messages", "a part is no text and no image");
  if (isObject(message) && callsOfTools.some((key) => (own(message, key) ?? null) !== null))
    throw wrong("messages", "a message calls tools");
  return { role, content };
}

/** Members of a message in which the protocols of models list the calls of the model. */
const callsOfTools = ["tool_calls", "function_call"];

/** True for a part that a caller may send: calls and results of tools are only written by this process. */
const isPlainPart = (part: Json): boolean =>
  isObject(part) && ["text", "image", "image_url", "input_audio", "document", "file"].includes(String(own(part, "type")));

const wrong = (field: string, reason: string): Failure => new Failure("evaluation", `field ${field}: ${reason}`);
