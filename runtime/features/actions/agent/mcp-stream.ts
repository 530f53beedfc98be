import { parseJson } from "../../../formats/json-text.ts";
import type { ResponseTap } from "../../../run/forwarding.ts";
import { Failure } from "../../../value/failure.ts";
import { isObject, type Json, own } from "../../../value/json.ts";
import { EventReader, isEventStream } from "../http/event-stream.ts";

// Streams of MCP servers: the answer to a request may come in one that was broken off and goes on in another (SEP-1699).

/** True for the message that a request waits for; undefined where it waits for none. */
export type IsAnswer = ((message: Json | undefined) => boolean) | undefined;

/**
 * Recognises the answer to a request; a notification needs none. The request that resumes a stream does not name the first request, so any
 * answer counts there.
 */
export function answers(body: unknown): IsAnswer {
  if (typeof body !== "string") return (message) => member(message, "result") !== undefined || member(message, "error") !== undefined;
  const id = member(parseJson(body), "id");
  return id === undefined ? undefined : (message) => member(message, "id") === id && member(message, "method") === undefined;
}

const member = (message: Json | undefined, name: string): Json | undefined =>
  message !== undefined && isObject(message) ? own(message, name) : undefined;

/** True when a body holds the awaited answer. Throws the `Failure` of an event that is too long. */
export function holds(bytes: Buffer, type: Json | undefined, isAnswer: IsAnswer): boolean {
  if (isAnswer === undefined) return true;
  const text = bytes.toString();
  return isEventStream(type) ? eventsIn(text, new EventReader()).some(isAnswer) : isAnswer(parseJson(text));
}

const eventsIn = (text: string, reader: EventReader): readonly (Json | undefined)[] =>
  [...reader.read(text)].map(({ data }) => parseJson(data));

/** True when a client can ask for what follows in a stream: an event of it has an id. */
export const isResumable = (bytes: Buffer, type: Json | undefined): boolean => isEventStream(type) && /^id:/m.test(bytes.toString());

/** Reads a stream until the answer is complete: a server may leave the stream open afterwards. */
export const until =
  (isAnswer: IsAnswer): ResponseTap =>
  (_, headers) => {
    if (isAnswer === undefined || !isEventStream(headers["content-type"])) return undefined;
    const [reader, decoder] = [new EventReader(), new TextDecoder()];
    return (chunk) => {
      try {
        return eventsIn(decoder.decode(chunk, { stream: true }), reader).some(isAnswer);
      } catch (error) {
        // The fault is reported later, when the whole body is read.
        if (error instanceof Failure) return true;
        throw error;
      }
    };
  };
