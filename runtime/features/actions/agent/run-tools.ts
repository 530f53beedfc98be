import type { Act } from "../../../run/run.ts";
import type { Span } from "../../../tracing/tracer.ts";
import type { Json, JsonObject } from "../../../value/json.ts";
import type { ToolCall, ToolResult } from "./conversation.ts";
import type { Outcome, Tool } from "./tool.ts";
import { listed, validatorsOf } from "./validators.ts";

/** choice: characters of a result that the model gets. */
const longest = 100_000;

/** A call as the data of the action show it. */
export interface CallRecord {
  readonly [member: string]: Json;
  readonly name: string;
  readonly args: JsonObject | string;
  readonly ok: boolean;
  readonly ms: number;
}

export interface Ran {
  readonly result: ToolResult;
  readonly record: CallRecord;
}

/** Runs the calls of one answer, so many at once, and gives what became of them in their order. `left`: calls that may still be made. */
export async function runTools(
  act: Act,
  tools: ReadonlyMap<string, Tool>,
  calls: readonly ToolCall[],
  { left, parallel }: { readonly left: number; readonly parallel: number },
): Promise<readonly Ran[]> {
  const ran: Ran[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let i = next++; i < calls.length; i = next++) {
      const call = calls[i];
      if (call !== undefined) ran[i] = await runOne(act, i < left ? tools.get(call.name) : "spent", call);
    }
  };
  await Promise.all(Array.from({ length: Math.min(parallel, calls.length) }, work));
  return ran;
}

async function runOne(act: Act, tool: Tool | "spent" | undefined, call: ToolCall): Promise<Ran> {
  const { host } = act.run;
  const began = host.monotonic();
  const span = act.span?.child(`tool ${call.name}`);
  const { text, ok } = await outcomeOf(act, tool, call, span).finally(() => span?.end());
  // A result may quote what only this process knows.
  const shown = host.redactor.text(text);
  const bounded = shown.length > longest ? `${shown.slice(0, longest)}\n[cut after ${longest} characters]` : shown;
  return {
    result: { id: call.id, name: call.name, text: bounded, ok },
    record: { name: call.name, args: call.args ?? call.text, ok, ms: Math.round(host.monotonic() - began) },
  };
}

async function outcomeOf(act: Act, tool: Tool | "spent" | undefined, call: ToolCall, span: Span | undefined): Promise<Outcome> {
  const outcome = await tried(act, tool, call, span);
  if (!outcome.ok) span?.fail("tool");
  return outcome;
}

async function tried(act: Act, tool: Tool | "spent" | undefined, { name, args }: ToolCall, span: Span | undefined): Promise<Outcome> {
  if (tool === "spent") return { ok: false, text: "not run: max_tool_calls is reached" };
  if (tool === undefined) return { ok: false, text: `there is no tool '${name.slice(0, 64)}'` };
  if (args === undefined) return { ok: false, text: "not run: the arguments are no JSON object" };
  const problems = validatorsOf(act.run.host).problems(tool.schema, args);
  if (problems.length > 0) return { ok: false, text: `not run: the arguments are wrong:\n${listed(problems)}` };
  act.throwIfCancelled();
  return tool.run(act, args, span);
}
