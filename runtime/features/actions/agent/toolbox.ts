import { touches } from "../../../outgoing/touches.ts";
import type { Act } from "../../../run/run.ts";
import { Failure } from "../../../value/failure.ts";
import { interfaceTool } from "./interface-tools.ts";
import type { McpTools } from "./mcp-tools.ts";
import { confirmationOf, type Tool, type ToolArgs } from "./tool.ts";

/** The tools of an agent by the names that the model uses, and what ends their connections. */
export interface Toolbox {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly close: () => Promise<void>;
}

export async function toolboxOf(act: Act, entries: readonly ToolArgs[]): Promise<Toolbox> {
  const tools = new Map<string, Tool>();
  const add = (tool: Tool): void => {
    // A server must not put its own tool in the place of another one.
    if (tools.has(tool.name)) throw new Failure("evaluation", `agent: two tools are called '${tool.name}'`);
    tools.set(tool.name, tool);
  };
  const servers: McpTools[] = [];
  const close = async (): Promise<void> => void (await Promise.all(servers.map((each) => each.close())));
  try {
    for (const entry of entries) {
      const { interface: asker } = confirmationOf(entry) ?? {};
      if (asker !== undefined) touches(act.run, { kind: "tools", name: asker, verb: "tell" });
      if (entry.interface !== undefined) add(interfaceTool(act, entry, entry.interface));
      else if (entry.mcp !== undefined) servers.push(await serverOf(act, entry, entry.mcp, add));
    }
    return { tools, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The library is loaded by the first agent that needs it. */
async function serverOf(act: Act, entry: ToolArgs, mcp: NonNullable<ToolArgs["mcp"]>, add: (tool: Tool) => void): Promise<McpTools> {
  const { mcpTools } = await import("./mcp-tools.ts");
  const server = await mcpTools(act, entry, mcp);
  try {
    server.tools.forEach(add);
    return server;
  } catch (error) {
    await server.close();
    throw error;
  }
}
