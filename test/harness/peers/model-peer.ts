import type { ServerResponse } from "node:http";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import { type Stub, stub } from "../sockets.ts";

/** One answer of a model, independent of any protocol. */
export interface Turn {
  readonly text?: string;
  /** Thoughts of the model before its text (Anthropic). */
  readonly thinking?: string;
  /** Calls of tools. Arguments that are a text are sent as they are, even when they are no JSON. */
  readonly calls?: readonly { readonly name: string; readonly args: Json }[];
  readonly stop?: "end" | "cut";
  readonly usage?: readonly [input: number, output: number];
  /** Parts of an HTTP answer that is no answer of a model. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly raw?: string;
  /** Never answers. */
  readonly silent?: true;
  /** True when the connection breaks in the middle of the stream. */
  readonly breaks?: true;
}

export type Api = "openai" | "anthropic";

export interface ModelPeer extends Stub {
  /** Bodies of the requests so far, parsed. */
  readonly asked: () => readonly JsonObject[];
  /** Number of requests that the client gave up before an answer. */
  readonly left: () => number;
}

/**
 * A service of language models that answers by a script, turn by turn; the last turn is repeated. It streams when the request asks for it.
 */
export async function modelPeer(api: Api, script: readonly Turn[] | ((asked: JsonObject, index: number) => Turn)): Promise<ModelPeer> {
  let count = 0;
  let left = 0;
  const peer = await stub((response, { url }, body) => {
    response.once("close", () => {
      if (!response.writableEnded) left += 1;
    });
    // This path stands in for a service that a tool calls, and never answers.
    if (url === "/v1/hang") return;
    const asked = JSON.parse(body) as JsonObject; // the product sends JSON
    const index = count++;
    const turn = typeof script === "function" ? script(asked, index) : (script[Math.min(index, script.length - 1)] ?? {});
    answer(response, api, turn, asked.stream === true, index);
  });
  return { ...peer, asked: () => peer.seen.map(({ body }) => JSON.parse(body) as JsonObject), left: () => left };
}

function answer(response: ServerResponse, api: Api, turn: Turn, streams: boolean, index: number): void {
  if (turn.silent) return;
  if (turn.raw !== undefined || turn.status !== undefined) {
    response.writeHead(turn.status ?? 200, { "content-type": "application/json", ...turn.headers });
    response.end(turn.raw ?? '{"error":{"message":"scripted"}}');
    return;
  }
  if (!streams) {
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify(api === "openai" ? openaiBody(turn, index) : anthropicBody(turn, index)));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  const events = api === "openai" ? openaiEvents(turn, index) : anthropicEvents(turn, index);
  const sent = turn.breaks ? events.slice(0, 2) : events;
  for (const event of sent) response.write(`${api === "anthropic" ? `event: ${event.type}\n` : ""}data: ${JSON.stringify(event)}\n\n`);
  if (turn.breaks) {
    setImmediate(() => response.destroy());
    return;
  }
  response.end(api === "openai" ? "data: [DONE]\n\n" : "");
}

const text = (args: Json): string => (typeof args === "string" ? args : JSON.stringify(args));

const callsOf = ({ calls = [] }: Turn, index: number) => calls.map(({ name, args }, i) => ({ id: `call_${index}_${i}`, name, args }));

const openaiStop = ({ stop, calls }: Turn): string => (stop === "cut" ? "length" : calls === undefined ? "stop" : "tool_calls");

function openaiBody(turn: Turn, index: number): JsonObject {
  const [prompt_tokens, completion_tokens] = turn.usage ?? [3, 2];
  const tool_calls = callsOf(turn, index).map(({ id, name, args }) => ({
    id,
    type: "function",
    function: { name, arguments: text(args) },
  }));
  return {
    id: "x",
    choices: [
      {
        index: 0,
        finish_reason: openaiStop(turn),
        message: { role: "assistant", content: turn.text ?? null, ...(tool_calls.length === 0 ? {} : { tool_calls }) },
      },
    ],
    usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
  };
}

function openaiEvents(turn: Turn, index: number): JsonObject[] {
  const [prompt_tokens, completion_tokens] = turn.usage ?? [3, 2];
  const delta = (part: JsonObject, finish_reason: string | null = null): JsonObject => ({
    choices: [{ index: 0, delta: part, finish_reason }],
  });
  const texts = [...(turn.text ?? "")].map((content) => delta({ content }));
  const calls = callsOf(turn, index).flatMap(({ id, name, args }, i) => [
    delta({ tool_calls: [{ index: i, id, type: "function", function: { name, arguments: "" } }] }),
    ...(text(args).match(/.{1,3}/gs) ?? []).map((part) => delta({ tool_calls: [{ index: i, function: { arguments: part } }] })),
  ]);
  return [
    delta({ role: "assistant", content: "" }),
    ...texts,
    ...calls,
    delta({}, openaiStop(turn)),
    { choices: [], usage: { prompt_tokens, completion_tokens } },
  ];
}

const anthropicStop = ({ stop, calls }: Turn): string => (stop === "cut" ? "max_tokens" : calls === undefined ? "end_turn" : "tool_use");

/** Thoughts in two blocks, one of which is hidden from its reader. */
const thoughts = ({ thinking }: Turn): JsonObject[] =>
  thinking === undefined
    ? []
    : [
        { type: "thinking", thinking, signature: `signed ${thinking}` },
        { type: "redacted_thinking", data: "hidden" },
      ];

function anthropicBody(turn: Turn, index: number): JsonObject {
  const [input_tokens, output_tokens] = turn.usage ?? [3, 2];
  const calls = callsOf(turn, index).map(({ id, name, args }) => ({ type: "tool_use", id, name, input: args }));
  const content = [...thoughts(turn), ...(turn.text === undefined ? [] : [{ type: "text", text: turn.text }]), ...calls];
  return { id: "x", type: "message", role: "assistant", content, stop_reason: anthropicStop(turn), usage: { input_tokens, output_tokens } };
}

function anthropicEvents(turn: Turn, index: number): JsonObject[] {
  const [input_tokens, output_tokens] = turn.usage ?? [3, 2];
  const block = (place: number, start: JsonObject, deltas: readonly JsonObject[]): JsonObject[] => [
    { type: "content_block_start", index: place, content_block: start },
    ...deltas.map((delta) => ({ type: "content_block_delta", index: place, delta })),
    { type: "content_block_stop", index: place },
  ];
  const thought = turn.thinking === undefined ? [] : thoughtEvents(turn.thinking, block);
  const first = turn.thinking === undefined ? 0 : 2;
  const calls = callsOf(turn, index).flatMap(({ id, name, args }, i) =>
    block(
      first + i + 1,
      { type: "tool_use", id, name, input: {} },
      (text(args).match(/.{1,3}/gs) ?? []).map((partial_json) => ({ type: "input_json_delta", partial_json })),
    ),
  );
  return [
    { type: "message_start", message: { role: "assistant", content: [], usage: { input_tokens, output_tokens: 1 } } },
    ...thought,
    ...block(
      first,
      { type: "text", text: "" },
      [...(turn.text ?? "")].map((each) => ({ type: "text_delta", text: each })),
    ),
    ...calls,
    { type: "message_delta", delta: { stop_reason: anthropicStop(turn) }, usage: { output_tokens } },
    { type: "message_stop" },
  ];
}

const thoughtEvents = (thinking: string, block: (place: number, start: JsonObject, deltas: readonly JsonObject[]) => JsonObject[]) => [
  ...block(0, { type: "thinking", thinking: "", signature: "" }, [
    ...[...thinking].map((each) => ({ type: "thinking_delta", thinking: each })),
    ...["signed ", thinking].map((signature) => ({ type: "signature_delta", signature })),
  ]),
  ...block(1, { type: "redacted_thinking", data: "hidden" }, []),
];
