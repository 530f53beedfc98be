import { isObject, type Json, type JsonObject } from "../../../value/json.ts";
import { at } from "../../../value/values.ts";

/** The text that an event adds to a stream: the first form that fits counts, in the order of spec/surfaces 5. */
export function deltaText(data: string, json: Json | undefined): string {
  if (!isObject(json)) return data;
  const text = serviceText(json);
  if (text !== undefined) return text;
  if (typeof json.text === "string") return json.text;
  return typeof json.delta === "string" ? json.delta : data;
}

/** Events of the services that are known; one that holds no text, such as the end of a turn, adds none. */
function serviceText(json: JsonObject): string | undefined {
  if (Array.isArray(json.choices)) return messageText(at(json, "choices", 0, "delta"));
  if (Array.isArray(json.candidates)) return parts(at(json, "candidates", 0, "content", "parts"));
  const { type } = json;
  if (typeof type !== "string") return undefined;
  if (type === "response.output_text.delta") return string(json.delta);
  if (type === "content_block_delta") return string(at(json, "delta", "text"));
  return /^(?:response\.|message_|content_block_|ping$)/.test(type) ? "" : undefined;
}

/** The text of a message of OpenAI, or of a part of one: its content as a text or as parts, else its refusal. */
export const messageText = (message: Json): string => contentOf(message) || string(at(message, "refusal"));

/** True for a message that says nothing but that the model refuses. */
export const isRefusal = (message: Json): boolean => contentOf(message) === "" && string(at(message, "refusal")) !== "";

const contentOf = (message: Json): string => {
  const content = at(message, "content");
  return Array.isArray(content) ? parts(content) : string(content);
};

const string = (value: Json | undefined): string => (typeof value === "string" ? value : "");

const parts = (list: Json): string => (Array.isArray(list) ? list.map((part) => string(at(part, "text"))).join("") : "");
