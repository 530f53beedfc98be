import { StringDecoder } from "node:string_decoder";
import { parseJson } from "../../../formats/json-text.ts";
import { touches } from "../../../outgoing/touches.ts";
import { audienceOf } from "../../../realtime/audience.ts";
import type { Forwarding, ResponseTap, StreamArgs } from "../../../run/forwarding.ts";
import type { Act } from "../../../run/run.ts";
import { longestWait } from "../../../value/duration.ts";
import { Failure } from "../../../value/failure.ts";
import { type Json, type JsonObject, put } from "../../../value/json.ts";
import { codingsOf } from "./codings.ts";
import { checkError, EventReader, isEnd, isEventStream, isStream, usageOf } from "./event-stream.ts";
import { deltaText } from "./stream-text.ts";

/**
 * Forwards the text of a stream to channels while the action reads it, as messages `{"$stream": {id, from, seq, delta}}`. `seq` counts from
 * 0 without a gap. The last message has `done`, and `error` unless the action has succeeded. Each further attempt starts the text again,
 * and its first message has `restart`. Slow listeners never hold up the action, and an error of forwarding never fails it.
 */
export const stream =
  (args: (act: Act) => StreamArgs) =>
  (act: Act): Forwarding =>
    new Forwarder(act, () => args(act));

class Forwarder implements Forwarding {
  readonly #act: Act;
  readonly #args: () => StreamArgs;
  #outlet: Outlet | undefined;
  /** Text that waits, and how many code points it has. */
  #text = "";
  #length = 0;
  #timer: AbortController | undefined;
  #seq = 0;
  #usage: JsonObject = {};
  #restarts = false;
  /** Counts attempts: text that still arrives for an earlier attempt is dropped. */
  #turn = 0;

  constructor(act: Act, args: () => StreamArgs) {
    this.#act = act;
    this.#args = args;
  }

  tap(isWanted: (status: number) => boolean): ResponseTap {
    return (status, headers) => {
      const { "content-type": type, "content-encoding": encoding } = headers;
      return codingsOf(encoding).length === 0 && isWanted(status) && isStream(type, true)
        ? this.#reading(isEventStream(type) ? "events" : "lines")
        : undefined;
    };
  }

  /** Another attempt begins: the text that was forwarded for the last attempt is void. */
  again(): void {
    this.#turn += 1;
    this.#clear();
    this.#usage = {};
    this.#restarts = this.#seq > 0;
  }

  end(): void {
    this.#turn += 1;
    const error = errorOf(this.#act);
    // Half of a pair of surrogates that nothing has completed is sent as it is.
    this.#flush(this.#text);
    const usage = Object.keys(this.#usage).length === 0 ? {} : { usage: this.#usage };
    this.#send("", { done: true, ...(error === undefined ? usage : { error }) });
  }

  /** Reads one response. The action itself reports what is wrong with the response. */
  #reading(kind: "events" | "lines"): (chunk?: Buffer) => void {
    const [events, decoder] = [new EventReader(kind), new StringDecoder()];
    // The last line may lack its break; an event without its blank line is none.
    const end = kind === "lines" ? "\n" : "";
    const turn = this.#turn;
    let isOpen = true;
    return (chunk) => {
      if (!isOpen || turn !== this.#turn) return;
      try {
        isOpen = this.#read(events.read(chunk === undefined ? decoder.end() + end : decoder.write(chunk)));
      } catch (error) {
        if (!(error instanceof Failure)) throw error;
        isOpen = false;
      }
    };
  }

  /** False when the stream has ended. */
  #read(events: ReturnType<EventReader["read"]>): boolean {
    for (const event of events) {
      if (isEnd(event)) return false;
      const json = parseJson(event.data);
      checkError(event, json);
      if (json !== undefined) for (const [key, value] of Object.entries(usageOf(json))) put(this.#usage, key, value);
      this.#add(deltaText(event.data, json));
    }
    return true;
  }

  #add(delta: string): void {
    const { flush_ms, flush_chars, send } = this.#opened();
    if (delta === "" || send === undefined) return;
    this.#text += delta;
    for (const _ of delta) this.#length += 1;
    if (this.#length >= flush_chars || flush_ms === 0) this.#flushWhole();
    else if (this.#timer === undefined) this.#wait(flush_ms);
  }

  #wait(ms: number): void {
    const timer = new AbortController();
    this.#timer = timer;
    this.#act.run.host.sleep(ms, timer.signal).then(
      () => {
        if (this.#timer === timer) this.#flushWhole();
      },
      () => undefined,
    );
  }

  /** Forwards the text but for the first half of a surrogate pair at its end, whose second half is still to come. */
  #flushWhole(): void {
    const text = this.#text;
    const isCut = /[\uD800-\uDBFF]$/.test(text);
    this.#flush(isCut ? text.slice(0, -1) : text);
    if (isCut) [this.#text, this.#length] = [text.slice(-1), 1];
  }

  #flush(text: string): void {
    this.#clear();
    for (const piece of piecesOf(text)) this.#send(piece, {});
  }

  #clear(): void {
    [this.#text, this.#length] = ["", 0];
    this.#timer?.abort();
    this.#timer = undefined;
  }

  #send(delta: string, more: JsonObject): void {
    const { run, name } = this.#act;
    const restart = this.#restarts && more.error === undefined ? { restart: true } : {};
    this.#restarts = false;
    this.#opened().send?.({ $stream: { id: run.id, from: name, seq: this.#seq, delta, ...restart, ...more } });
    this.#seq += 1;
  }

  #opened(): Outlet {
    this.#outlet ??= open(this.#act, this.#args);
    return this.#outlet;
  }
}

/** The sender of messages, and the amount of text that is gathered for one. */
interface Outlet {
  readonly flush_ms: number;
  readonly flush_chars: number;
  /** Absent where nothing is forwarded. */
  readonly send?: (message: JsonObject) => void;
}

/** Evaluates the fields once; a reason that keeps text from being forwarded is logged. */
function open({ run, place }: Act, args: () => StreamArgs): Outlet {
  const { log } = run.host;
  const nowhere = (reason: string, level: "warn" | "error" = "warn"): Outlet => {
    log(level, `stream: ${reason}; nothing is forwarded`, place);
    return { flush_ms: longestWait, flush_chars: Number.POSITIVE_INFINITY };
  };
  try {
    const { channel, flush_ms, flush_chars } = args();
    const names = namesOf(channel);
    if (names.length === 0) return nowhere("there is no channel");
    for (const name of names) touches(run, { kind: "channels", name });
    return {
      flush_ms: Math.min(Math.max(0, flush_ms ?? 50), longestWait),
      flush_chars: Math.max(1, flush_chars ?? 200),
      send: audienceOf(run, names, (reason) => log("warn", `stream: ${reason}`, place)),
    };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return nowhere(error.message, error.kind === "manifest" ? "error" : "warn");
  }
}

/** Null, empty texts and what is no text name no channel. */
const namesOf = (channel: Json): readonly string[] => {
  const all = Array.isArray(channel) ? channel : [channel];
  return [...new Set(all.flatMap((one) => (typeof one === "number" || (typeof one === "string" && one !== "") ? [String(one)] : [])))];
};

/** Characters of one message: escaped as JSON they fit into 256 KiB. */
const longest = 40_000;

function* piecesOf(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const end = start + longest;
    const splits = /[\uD800-\uDBFF]/.test(text.charAt(end - 1)) && end < text.length;
    const piece = text.slice(start, splits ? end - 1 : end);
    yield piece;
    start += piece.length;
  }
}

/** The reason for which the action has failed, for clients: the class of the failure, never its text. */
function errorOf(act: Act): string | undefined {
  if (act.state === "succeeded") return undefined;
  if (act.cancelled || act.run.cancellation.aborted) return "cancelled";
  if (act.state === "skipped" || !act.ran) return act.failure ?? "skipped";
  return act.failure ?? "evaluation";
}
