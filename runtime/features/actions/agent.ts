import type { Steps } from "../../run/journal.ts";
import type { Act } from "../../run/run.ts";
import { argument, onlyValue } from "../../shapes/arguments.ts";
import { memberAt } from "../../shapes/edit.ts";
import { schemaShape } from "../../shapes/json-schema.ts";
import { any, array, boolean, type Member, number, object, type Shape, string } from "../../shapes/shape.ts";
import { Failure } from "../../value/failure.ts";
import type { Json } from "../../value/json.ts";
import type { Action } from "../feature.ts";
import { ask, type ModelArgs } from "./agent/ask.ts";
import { begin } from "./agent/begin.ts";
import type { Message, ModelAnswer, Question } from "./agent/conversation.ts";
import { type MemoryArgs, recall, remember } from "./agent/memory.ts";
import { type Output, type OutputArgs, readOutput } from "./agent/output.ts";
import { runTools } from "./agent/run-tools.ts";
import { schema } from "./agent/schema.ts";
import { stepsOf } from "./agent/steps.ts";
import { Tally } from "./agent/tally.ts";
import type { ToolArgs } from "./agent/tool.ts";
import { type Toolbox, toolboxOf } from "./agent/toolbox.ts";

/** An `agent` block after evaluation. Null means unset, as for every field that held a marker. */
export interface AgentArgs {
  readonly model: ModelArgs;
  readonly system?: string | null;
  readonly prompt?: string | null;
  readonly messages?: Json;
  readonly tools?: readonly ToolArgs[];
  readonly memory?: MemoryArgs;
  readonly output?: OutputArgs;
  readonly max_turns?: number | null;
  readonly max_tool_calls?: number | null;
  readonly parallel_tools?: number | null;
  readonly max_tokens_total?: number | null;
  readonly stream?: boolean | null;
}

/**
 * Lets a language model work with tools until it has an answer: `{text, output?, turns, stop, tool_calls, usage}`. A tool that fails, is
 * unknown or gets wrong arguments does not end the action: the model gets the reason. Results of tools reach the model as data, never as
 * system text.
 */
export async function agent(act: Act, args: AgentArgs): Promise<Json> {
  const steps = stepsOf(act, args.tools ?? []);
  const started = begin(args);
  const memory = await recall(act, steps, args.memory);
  const box = await toolboxOf(act, args.tools ?? []);
  // A durable run may leave this process while it waits, so that the end of this function is never reached. The cancellation then closes
  // the box.
  const forget = act.run.journal === undefined ? () => undefined : act.cancellation.listen(() => void box.close());
  try {
    const { data, messages } = await converse(act, steps, args, [...memory.messages, ...started], box);
    await steps.once("remember", () => remember(act, memory, messages.slice(memory.messages.length)));
    return data;
  } finally {
    forget();
    await box.close();
  }
}

/** Takes turns until the model answers without calls. In each turn the model is asked, and the calls in its answer are run. */
async function converse(act: Act, steps: Steps, args: AgentArgs, history: readonly Message[], { tools }: Toolbox) {
  const { max_tool_calls, parallel_tools } = args;
  const mostTurns = args.max_turns ?? 8;
  const messages = [...history];
  const tally = new Tally(act, args);
  let mends = args.output?.retries ?? 1;
  const judge = (answer: ModelAnswer): void => {
    const lack = lackOf(answer);
    if (lack !== undefined) throw tally.failed(`agent: the answer ${lack}`);
    const read = outputOf(act, args, answer);
    if (read !== undefined && "problems" in read && (mends === 0 || tally.turns >= mostTurns))
      throw tally.failed(`agent: the answer does not satisfy the schema of output: ${read.problems}`);
  };
  for (;;) {
    act.throwIfCancelled();
    const turn = question(args, messages, [...tools.values()]);
    const answer = await tally.turn(steps, (asking, span) => ask(asking, args.model, turn, span), judge);
    messages.push(messageOf(answer));
    if (answer.calls.length > 0) {
      const left = (max_tool_calls ?? 32) - tally.calls.length;
      const calling = { steps, number: tally.turns, left, parallel: parallel_tools ?? 4 };
      const ran = await runTools(act, tools, answer.calls, calling);
      tally.calls.push(...ran.map(({ record }) => record));
      messages.push({ role: "tool", results: ran.map(({ result }) => result) });
      if (tally.turns >= mostTurns) throw tally.failed("agent max_turns reached");
      continue;
    }
    const read = outputOf(act, args, answer);
    const stop = answer.stop === "refusal" ? "refusal" : "end";
    if (read === undefined) return { data: tally.data(stop, answer.text), messages };
    if ("value" in read) return { data: tally.data(stop, answer.text, read.value), messages };
    mends -= 1;
    messages.push({ role: "user", content: `This is not what was asked for:\n${read.problems}\nAnswer again, with the JSON alone.` });
  }
}

/** The reason why an answer is incomplete; undefined for a complete one. */
function lackOf({ stop }: ModelAnswer): string | undefined {
  if (stop === "cut") return "was cut at max_tokens";
  if (stop === "full") return "was cut at the context window of the model";
  return typeof stop === "object" ? `is not complete, because the service has ended it with '${stop.unfinished}'` : undefined;
}

/** The output in an answer without calls; undefined for any other answer, and for an action without `output`. */
const outputOf = (act: Act, { output }: AgentArgs, { calls, text }: ModelAnswer): Output | undefined =>
  output === undefined || calls.length > 0 ? undefined : readOutput(act, output, text);

const messageOf = ({ text, calls, blocks }: ModelAnswer): Message => ({
  role: "assistant",
  content: text,
  ...(calls.length === 0 ? {} : { calls, ...(blocks === undefined ? {} : { blocks }) }),
});

function question({ model, system, output, stream }: AgentArgs, messages: readonly Message[], tools: Question["tools"]): Question {
  if (model.name === null) throw new Failure("evaluation", "field name: expected string, got null");
  return {
    model: model.name,
    system: system ?? null,
    messages,
    tools,
    temperature: model.temperature ?? null,
    max_tokens: model.max_tokens ?? 1024,
    schema: output?.schema,
    streams: stream === true,
  };
}

/** The schema of `output` is written, never computed. */
function shape(args: Shape): Shape {
  const output = argument(args, "output");
  const schema = output.type === "object" ? onlyValue(memberAt(output, "schema").shape) : undefined;
  const call = object({ name: string, args: any, ok: boolean, ms: number });
  const usage = new Map<string, Member>([
    ["input_tokens", { shape: number }],
    ["output_tokens", { shape: number }],
    ["cost", { shape: number, optional: true }],
  ]);
  const members: Record<string, Shape> = { text: string, turns: number, stop: string, tool_calls: array(call), usage: object(usage) };
  return object(output.type === "null" ? members : { ...members, output: schema === undefined ? any : schemaShape(schema) });
}

export const spec: Action<AgentArgs> = {
  summary: "Let a language model work with tools.",
  schema,
  bounds: "50 calls of the model, 100,000 characters of one result of a tool, and runs of tools three deep",
  effect: "network",
  secret: ["model"],
  retries: "calls",
  streams: true,
  reveals: { prompt: [["system"], ["prompt"], ["messages"]], state: [["memory", "key"]] },
  run: agent,
  shape,
  failure: () => any,
};
