import { modelToolName } from "../../../formats/tool-name.ts";
import { touches } from "../../../outgoing/touches.ts";
import type { Act } from "../../../run/run.ts";
import { confirmationOf, type Tool, type ToolArgs, verbOf } from "./tool.ts";

/** The most agents in a chain in which each one runs the next one as a tool. */
const deepest = 3;

/** An interface of the configuration as a tool: each call is a run of its own. */
export function interfaceTool({ run }: Act, entry: ToolArgs, name: string): Tool {
  const target = run.config.interfaces.find((each) => each.name === name);
  const { calls } = run.config;
  if (target?.tool === undefined || calls === undefined) throw new Error(`interface ${name} was not planned as a tool`);
  const { tool } = target;
  touches(run, { kind: "tools", name, verb: verbOf(entry) });
  return {
    name: modelToolName(entry.name ?? tool.name),
    description: entry.description ?? tool.description,
    schema: tool.inputSchema,
    confirmation: confirmationOf(entry),
    run: async (act, args, span) => {
      const around = [...(act.run.received.agents ?? []), act.run.interface.name];
      if (around.includes(name)) return { ok: false, text: "this tool is running already and cannot call itself" };
      if (around.length > deepest) return { ok: false, text: "too many agents call each other" };
      const { status, body } = await calls(act, target, args, span);
      act.throwIfCancelled();
      return tool.discards ? { ok: true, text: "" } : { ok: status < 400, text: body };
    },
  };
}
