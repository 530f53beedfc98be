import { isObject, type Json, type JsonObject, own } from "../../../value/json.ts";
import { at } from "../../../value/values.ts";
import { deltaText } from "./stream-text.ts";

/** Why a service has failed, by an event with this name and data (spec/surfaces 5); undefined for an event that reports no failure. */
export function errorIn(name: string, data: string, json: Json | undefined): string | undefined {
  if (!isObject(json)) return name === "error" ? data : undefined;
  if (name !== "error" && !saysError(json)) return undefined;
  const error = own(json, "error") ?? at(json, "response", "error");
  if (typeof error === "string" && error !== "") return error;
  return [at(error, "message"), at(json, "message")].find((message) => typeof message === "string") ?? data;
}

function saysError(json: JsonObject): boolean {
  const { type, object, choices, candidates } = json;
  if (type === "error" || type === "response.failed" || object === "error") return true;
  if (at(json, "choices", 0, "finish_reason") === "error") return true;
  const error = own(json, "error");
  if (!(isObject(error) || (typeof error === "string" && error !== ""))) return false;
  if (Array.isArray(choices) || Array.isArray(candidates)) return deltaText("", json) === "";
  // An object with other members is a row of data, which may have an error of its own.
  return object === "chat.completion.chunk" || Object.keys(json).every((key) => members.has(key));
}

/** Members of an event that is nothing but an error. */
const members: ReadonlySet<string> = new Set([
  "error",
  "error_code",
  "error_type",
  "type",
  "code",
  "status",
  "status_code",
  "message",
  "param",
  "request_id",
]);
