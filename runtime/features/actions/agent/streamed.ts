import { parseJson } from "../../../formats/json-text.ts";
import { Failure } from "../../../value/failure.ts";
import { type Json, put } from "../../../value/json.ts";
import { at } from "../../../value/values.ts";
import { checkError, EventReader, isEnd, usageOf } from "../http/event-stream.ts";
import { deltaText, isRefusal } from "../http/stream-text.ts";
import { ToolCalls } from "../http/stream-tools.ts";
import type { ModelAnswer, ModelApi, Stop } from "./conversation.ts";
import { callOf, usageIn } from "./parts.ts";

/** The answer of a stream of events; undefined where it has none. An `error` event fails, and so does a stream without an end. */
export function streamedAnswer(stream: string, api: ModelApi): ModelAnswer | undefined {
  const text: string[] = [];
  const usage = {};
  const calls = new ToolCalls();
  const events: Json[] = [];
  let stop: Stop | undefined;
  let refuses = false;
  for (const event of new EventReader().read(stream)) {
    if (isEnd(event)) {
      stop ??= "end";
      break;
    }
    const json: Json | undefined = parseJson(event.data);
    checkError(event, json);
    if (json === undefined) continue;
    events.push(json);
    text.push(deltaText(event.data, json));
    for (const [key, value] of Object.entries(usageOf(json))) put(usage, key, value);
    calls.add(json);
    refuses ||= isRefusal(at(json, "choices", 0, "delta"));
    // The last event of Anthropic ends the answer without a reason of its own.
    const next = api.stopIn(json);
    if (next !== undefined && (stop === undefined || next !== "end")) stop = next;
  }
  if (events.length === 0) return undefined;
  if (stop === undefined) throw new Failure("transport", "http connection lost: the stream ends inside of the answer", { upstream: 502 });
  const blocks = api.blocksOf?.(events);
  return {
    text: text.join(""),
    calls: calls.all.map(({ id, name, input }) => callOf(id, name, input)),
    ...(blocks === undefined ? {} : { blocks }),
    stop: stop === "end" && refuses ? "refusal" : stop,
    usage: usageIn(usage),
  };
}
