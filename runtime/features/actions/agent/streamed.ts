import { parseJson } from "../../../formats/json-text.ts";
import { type Json, put } from "../../../value/json.ts";
import { checkError, EventReader, isEnd, usageOf } from "../http/event-stream.ts";
import { deltaText } from "../http/stream-text.ts";
import { ToolCalls } from "../http/stream-tools.ts";
import type { ModelAnswer, ModelApi } from "./conversation.ts";
import { callOf, usageIn } from "./parts.ts";

/** The answer that a stream of events adds up to; undefined where it has no event. An `error` event fails. */
export function streamedAnswer(stream: string, api: ModelApi): ModelAnswer | undefined {
  const text: string[] = [];
  const usage = {};
  const calls = new ToolCalls();
  const events: Json[] = [];
  let stop: string | undefined;
  for (const event of new EventReader().read(stream)) {
    if (isEnd(event)) break;
    const json: Json | undefined = parseJson(event.data);
    checkError(event, json);
    if (json === undefined) continue;
    events.push(json);
    text.push(deltaText(event.data, json));
    for (const [key, value] of Object.entries(usageOf(json))) put(usage, key, value);
    calls.add(json);
    stop = api.stopOf(json) ?? stop;
  }
  if (events.length === 0) return undefined;
  const blocks = api.blocksOf?.(events);
  return {
    text: text.join(""),
    calls: calls.all.map(({ id, name, input }) => callOf(id, name, input)),
    ...(blocks === undefined ? {} : { blocks }),
    stop: stop === api.cut ? "cut" : "end",
    usage: usageIn(usage),
  };
}
