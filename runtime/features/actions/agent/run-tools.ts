import { modelToolName } from "../../../formats/tool-name.ts";
import type { Steps } from "../../../run/journal.ts";
import type { Act } from "../../../run/run.ts";
import type { TraceSpan } from "../../../tracing/tracer.ts";
import type { Json, JsonObject } from "../../../value/json.ts";
import { refusalOf } from "./confirm.ts";
import type { ToolCall, ToolResult } from "./conversation.ts";
import type { Tool, ToolOutcome } from "./tool.ts";
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

/** The turn in which tools run. */
export interface ToolTurn {
  readonly steps: Steps;
  /** The number of the turn, from 1. */
  readonly number: number;
  /** Calls that may still be made. */
  readonly left: number;
  /** Calls that run at once. */
  readonly parallel: number;
}

/** Runs the calls of one answer, and gives their outcomes in order. Each call is a step. */
export async function runTools(
  act: Act,
  tools: ReadonlyMap<string, Tool>,
  calls: readonly ToolCall[],
  turn: ToolTurn,
): Promise<readonly Ran[]> {
  const ran: Ran[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    for (let i = next++; i < calls.length; i = next++) {
      const call = calls[i];
      if (call !== undefined) ran[i] = await runOne(act, i < turn.left ? tools.get(call.name) : "spent", call, { ...turn, index: i });
    }
  };
  await Promise.all(Array.from({ length: Math.min(turn.parallel, calls.length) }, work));
  return ran;
}

async function runOne(
  act: Act,
  tool: Tool | "spent" | undefined,
  call: ToolCall,
  { steps, number, index }: ToolTurn & { readonly index: number },
): Promise<Ran> {
  const name = `turn ${number}, call ${index + 1} ${modelToolName(call.name)}`;
  const checked = check(act, tool, call);
  const refusal =
    "refusal" in checked || checked.tool.confirmation === undefined
      ? undefined
      : await refusalOf(act, steps, name, { tool: checked.tool.name, args: checked.args }, checked.tool.confirmation);
  return steps.once(`${name}, result`, () => ranOf(act, call, refusal === undefined ? checked : { refusal: `not run: ${refusal}` }));
}

/** A call that may run, or why it may not. */
type Checked = { readonly tool: Tool; readonly args: JsonObject } | { readonly refusal: string };

function check(act: Act, tool: Tool | "spent" | undefined, { name, args }: ToolCall): Checked {
  if (tool === "spent") return { refusal: "not run: max_tool_calls is reached" };
  if (tool === undefined) return { refusal: `there is no tool '${name.slice(0, 64)}'` };
  if (args === undefined) return { refusal: "not run: the arguments are no JSON object" };
  const problems = validatorsOf(act.run.host).problems(tool.schema, args);
  return problems.length > 0 ? { refusal: `not run: the arguments are wrong:\n${listed(problems)}` } : { tool, args };
}

async function ranOf(act: Act, call: ToolCall, checked: Checked): Promise<Ran> {
  const { host } = act.run;
  const began = host.monotonic();
  const span = act.span?.child(`tool ${call.name}`);
  const { text, ok } = await outcomeOf(act, checked, span).finally(() => span?.end());
  // A result may quote secrets, which only this process knows.
  const shown = host.redactor.text(text);
  const bounded = shown.length > longest ? `${shown.slice(0, longest)}\n[cut after ${longest} characters]` : shown;
  return {
    result: { id: call.id, name: call.name, text: bounded, ok },
    record: { name: call.name, args: call.args ?? call.text, ok, ms: Math.round(host.monotonic() - began) },
  };
}

async function outcomeOf(act: Act, checked: Checked, span: TraceSpan | undefined): Promise<ToolOutcome> {
  act.throwIfCancelled();
  const outcome = "refusal" in checked ? { ok: false, text: checked.refusal } : await checked.tool.run(act, checked.args, span);
  if (!outcome.ok) span?.fail("tool");
  return outcome;
}
