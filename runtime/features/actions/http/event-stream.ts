import { parseJson } from "../../../formats/json-text.ts";
import { bodyKind } from "../../../formats/media-type.ts";
import type { Work } from "../../../threads/slices.ts";
import { Failure } from "../../../value/failure.ts";
import { isObject, type Json, type JsonObject, own, put } from "../../../value/json.ts";
import { show } from "../../../value/show.ts";
import { errorIn } from "./stream-error.ts";
import { deltaText } from "./stream-text.ts";
import { ToolCalls } from "./stream-tools.ts";

/** Longest event (spec/surfaces 5). */
const maxEventBytes = 1_048_576;

/** One event of a stream, as the HTML standard delivers it. */
export interface StreamEvent {
  /** The `event` field; empty when there is none. */
  readonly name: string;
  readonly data: string;
}

export const isEventStream = (contentType: Json | undefined): boolean =>
  typeof contentType === "string" && /^\s*text\/event-stream\s*(?:;|$)/i.test(contentType);

/** A response that is read as events: an event stream always is, lines of JSON when the action asks for a stream (spec/surfaces 5). */
export const isStream = (contentType: Json | undefined, isWanted: boolean): boolean =>
  isEventStream(contentType) || (isWanted && typeof contentType === "string" && bodyKind(contentType) === "lines");

/**
 * Makes one body of a whole event stream, `{text, events, last, usage?, tool_calls?}` (spec/surfaces 5): the text that the events add up
 * to, their number, and the last one that is JSON. `[DONE]` ends it; an `error` event fails.
 */
export const reassemble = (stream: string): Work<JsonObject> => joined(piecesOf(stream), new EventReader());

/** Reassembles a stream with one event a line; the last line may lack its break. */
export const reassembleLines = (stream: string): Work<JsonObject> => joined([...piecesOf(stream), "\n"], new EventReader("lines"));

/** Characters whose events are read in some milliseconds. */
const pieceLength = 65_536;

const piecesOf = (stream: string): readonly string[] =>
  Array.from({ length: Math.ceil(stream.length / pieceLength) }, (_, i) => stream.slice(i * pieceLength, (i + 1) * pieceLength));

function* joined(pieces: readonly string[], reader: EventReader): Work<JsonObject> {
  const text: string[] = [];
  const usage: JsonObject = {};
  const tools = new ToolCalls();
  let events = 0;
  let last: Json = null;
  reading: for (const piece of pieces) {
    for (const event of reader.read(piece)) {
      if (isEnd(event)) break reading;
      events += 1;
      const json = parseJson(event.data);
      checkError(event, json);
      text.push(deltaText(event.data, json));
      if (json === undefined) continue;
      last = json;
      for (const [key, value] of Object.entries(usageOf(json))) put(usage, key, value);
      tools.add(json);
    }
    yield;
  }
  return {
    text: text.join(""),
    events,
    last,
    ...(Object.keys(usage).length === 0 ? {} : { usage }),
    ...(tools.all.length === 0 ? {} : { tool_calls: tools.all.map(({ id, name, input }) => toolCall(id, name, input)) }),
  };
}

const toolCall = (id: string | null, name: string, input: string): JsonObject => ({
  id,
  type: "function",
  function: { name, arguments: input },
});

/** The event by which services say that the stream has ended. */
export const isEnd = ({ data }: StreamEvent): boolean => data.trim() === "[DONE]";

/**
 * Cuts a stream into events while it arrives, in pieces of any size. By the HTML standard, 9.2.6, comments and unknown fields are ignored,
 * and an event is complete only with its blank line. In a stream of `lines` each line that is not blank is an event.
 */
export class EventReader {
  readonly #kind: "events" | "lines";
  /** The line that has not ended yet. */
  #open = "";
  /** The text so far has ended with a carriage return: a line feed that follows belongs to it. */
  #afterReturn = false;
  #isFirst = true;
  #name = "";
  #data: string[] = [];
  #size = 0;

  constructor(kind: "events" | "lines" = "events") {
    this.#kind = kind;
  }

  /** The events that end in this piece of text. Throws the `Failure` of one that is too long. */
  *read(piece: string): Generator<StreamEvent> {
    if (piece === "") return;
    const start = this.#isFirst ? piece.replace(/^\uFEFF/, "") : piece;
    this.#isFirst = false;
    const text = this.#afterReturn && start.startsWith("\n") ? start.slice(1) : start;
    this.#afterReturn = this.#kind === "events" && start.endsWith("\r");
    const lines = text.split(this.#kind === "events" ? /\r\n|\r|\n/ : "\n");
    const rest = lines.pop() ?? "";
    for (const line of lines) {
      const whole = this.#open + line;
      const event = this.#kind === "events" ? this.#field(whole) : eventOfLine(whole);
      this.#open = "";
      if (event !== undefined) yield event;
    }
    this.#open += rest;
  }

  #field(line: string): StreamEvent | undefined {
    if (line === "") {
      const event = this.#data.length > 0 ? { name: this.#name, data: this.#data.join("\n") } : undefined;
      [this.#name, this.#data, this.#size] = ["", [], 0];
      return event;
    }
    const [, field, value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (field === "event") this.#name = value;
    if (field !== "data") return undefined;
    this.#data.push(value);
    this.#size += Buffer.byteLength(value) + 1;
    if (this.#size > maxEventBytes) throw tooLong();
    return undefined;
  }
}

function eventOfLine(text: string): StreamEvent | undefined {
  const line = text.endsWith("\r") ? text.slice(0, -1) : text;
  if (Buffer.byteLength(line) > maxEventBytes) throw tooLong();
  return line.trim() === "" ? undefined : { name: "", data: line };
}

const tooLong = (): Failure => bad(`event exceeds ${maxEventBytes} bytes`);

/** Throws the `Failure` of an event that says that the service has failed. */
export function checkError({ name, data }: StreamEvent, json: Json | undefined): void {
  const reason = errorIn(name, data, json);
  if (reason !== undefined) throw bad(show(reason));
}

const bad = (reason: string): Failure => new Failure("transport", `http stream failed: ${reason}`, { upstream: 502 });

/** Collects the counts of the services, wherever they stand; later events complete earlier ones. */
export function usageOf(json: Json): JsonObject {
  if (!isObject(json)) return {};
  const usages = [json, json.message, json.response].filter(isObject).map((part) => own(part, "usage") ?? own(part, "usageMetadata"));
  return usages.find(isObject) ?? {};
}
