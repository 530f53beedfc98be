import { Failure } from "../../failure.ts";
import { isObject, type Json, type JsonObject, own, put } from "../../json.ts";
import { parseJson } from "../../lib/json-text.ts";
import { bodyKind } from "../../lib/media-type.ts";
import { deltaText } from "./stream-text.ts";
import { addToolCalls, type ToolCall } from "./stream-tools.ts";

/** Longest event (surfaces.md 5). */
const maxEventBytes = 1_048_576;

/** One event of a stream, as the HTML standard delivers it. */
interface StreamEvent {
  /** The `event` field; empty when there is none. */
  readonly name: string;
  readonly data: string;
}

export const isEventStream = (contentType: Json | undefined): boolean =>
  typeof contentType === "string" && /^\s*text\/event-stream\s*(?:;|$)/i.test(contentType);

/** A response that is read as events: an event stream always is, lines of JSON when the action asks for a stream (surfaces.md 5). */
export const isStream = (contentType: Json | undefined, asked: boolean): boolean =>
  isEventStream(contentType) || (asked && typeof contentType === "string" && bodyKind(contentType) === "lines");

/**
 * A whole event stream as one body, `{text, events, last, usage?, tool_calls?}` (surfaces.md 5, decisions.md A11): the text that the events add up
 * to, their number, and the last one that is JSON. `[DONE]` ends it; an `error` event fails.
 */
export const reassemble = (stream: string): JsonObject => joined(eventsOf(stream));

/** The same of a stream with one event a line. */
export const reassembleLines = (stream: string): JsonObject => joined(lineEvents(stream));

function joined(all: Iterable<StreamEvent>): JsonObject {
  const text: string[] = [];
  const usage: JsonObject = {};
  const tools = new Map<string, ToolCall>();
  let events = 0;
  let last: Json = null;
  for (const event of all) {
    if (event.data.trim() === "[DONE]") break;
    events += 1;
    const json = parseJson(event.data);
    checkError(event, json);
    text.push(deltaText(event.data, json));
    if (json === undefined) continue;
    last = json;
    for (const [key, value] of Object.entries(usageOf(json))) put(usage, key, value);
    addToolCalls(tools, json);
  }
  return {
    text: text.join(""),
    events,
    last,
    ...(Object.keys(usage).length === 0 ? {} : { usage }),
    ...(tools.size === 0 ? {} : { tool_calls: [...tools.values()].map(({ id, name, input }) => toolCall(id, name, input)) }),
  };
}

const toolCall = (id: string | null, name: string, input: string): JsonObject => ({
  id,
  type: "function",
  function: { name, arguments: input },
});

function* lineEvents(stream: string): Generator<StreamEvent> {
  for (const line of stream.replace(/^\uFEFF/, "").split(/\r?\n/)) {
    if (Buffer.byteLength(line) > maxEventBytes) throw bad(`event exceeds ${maxEventBytes} bytes`);
    if (line.trim() !== "") yield { name: "", data: line };
  }
}

/** Events by the HTML standard, 9.2.6: comments and unknown fields say nothing, and an event without its blank line is not there yet. */
function* eventsOf(stream: string): Generator<StreamEvent> {
  let name = "";
  let data: string[] = [];
  let size = 0;
  const lines = stream.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/);
  // What follows the last line break is a line that has not ended.
  lines.pop();
  for (const line of lines) {
    if (line === "") {
      if (data.length > 0) yield { name, data: data.join("\n") };
      [name, data, size] = ["", [], 0];
      continue;
    }
    const [, field, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === "event") name = value;
    if (field !== "data") continue;
    data.push(value);
    size += Buffer.byteLength(value) + 1;
    if (size > maxEventBytes) throw bad(`event exceeds ${maxEventBytes} bytes`);
  }
}

function checkError({ name, data }: StreamEvent, json: Json | undefined): void {
  if (name !== "error" && !(isObject(json) && json.type === "error")) return;
  const of = isObject(json) && isObject(json.error) ? json.error : json;
  const message = isObject(of) && typeof of.message === "string" ? of.message : data;
  throw bad(message.slice(0, 200));
}

const bad = (reason: string): Failure => new Failure("transport", `http stream failed: ${reason}`, { upstream: 502 });

/** What the services count, wherever they say it; later events complete earlier ones. */
function usageOf(json: Json): JsonObject {
  if (!isObject(json)) return {};
  const found = [json, json.message, json.response].filter(isObject).map((part) => own(part, "usage") ?? own(part, "usageMetadata"));
  return found.find(isObject) ?? {};
}
