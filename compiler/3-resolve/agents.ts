import { modelToolName } from "#runtime/formats/tool-name.ts";
import { isSecureWay } from "#runtime/outgoing/secure-way.ts";
import type { Span } from "#runtime/plan/index.ts";
import { type Entry, entriesOf, entry, flag, get, items, type Node, scalarText } from "../1-read/document.ts";
import { agents as codes } from "../diagnostics/codes/agents.ts";
import { names } from "../diagnostics/codes/names.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import { nearest } from "../diagnostics/nearest.ts";

/** Looks at the tools of all agents of an interface, and gives the interfaces that they may call (spec/surfaces 15.1). */
export function toolsOfAgents(owner: string, node: Node, interfaces: readonly string[], report: Report): readonly string[] {
  return agentsIn(items(get(node, "actions"))).flatMap((agent) => {
    const first = new Map<string, Span>();
    return items(get(agent, "tools")).flatMap((tool) => {
      checkForm(tool, report);
      const target = interfaceOf(tool, owner, interfaces, report);
      for (const [name, at] of offered(tool, target)) {
        const other = first.get(name);
        if (other === undefined) first.set(name, at);
        else report(codes.toolTwice(name), at, [{ at: other, message: "offered here first" }]);
      }
      return target ?? [];
    });
  });
}

/** Blocks of agents, in loops too. */
const agentsIn = (actions: readonly Node[]): readonly Node[] =>
  actions.flatMap((action) => [
    ...entriesOf(action).flatMap(({ key, value }) => (key === "agent" ? [value] : [])),
    ...agentsIn(items(get(action, "actions"))),
  ]);

/** A tool is an interface, or the allowed ones of a server. */
function checkForm(tool: Node, report: Report): void {
  const [own, mcp, allow] = [entry(tool, "interface"), entry(tool, "mcp"), entry(tool, "allow")];
  if ((own === undefined) === (mcp === undefined)) report(codes.toolForm(), tool.span);
  else if (mcp !== undefined) checkServer(mcp, allow, report);
  const strange = mcp === undefined ? allow : (entry(tool, "description") ?? entry(tool, "confirm"));
  if (strange !== undefined && (own === undefined) !== (mcp === undefined) && !isOff(strange))
    report(codes.toolField(strange.key, mcp === undefined ? "mcp" : "interface"), strange.keySpan);
  const confirm = entry(tool, "confirm");
  if (own !== undefined && confirm !== undefined && flag(tool, "confirm")) report(codes.confirm(), confirm.keySpan);
}

const isOff = ({ key, value }: Entry): boolean => key === "confirm" && scalarText(value) === "false";

function checkServer(mcp: Entry, allow: Entry | undefined, report: Report): void {
  const allowed = items(allow?.value).flatMap((item) => scalarText(item) ?? []);
  if (allow === undefined || allowed.length === 0) report(codes.noAllow(), allow?.keySpan ?? mcp.keySpan);
  else if (allowed.length > 1 && allowed.includes("*")) report(codes.allMore(), allow.keySpan);
  const url = get(mcp.value, "url");
  const text = scalarText(url);
  if (url === undefined || text === undefined || text.includes("a|")) return;
  const address = URL.parse(text);
  if (address === null || !isSecureWay(address)) report(codes.plainServer(text), url.span);
}

function interfaceOf(tool: Node, owner: string, interfaces: readonly string[], report: Report): string | undefined {
  const node = get(tool, "interface");
  const name = scalarText(node);
  if (node === undefined || name === undefined) return undefined;
  if (name === owner) report(codes.itself(name), node.span);
  else if (interfaces.includes(name)) return name;
  else report(names.unknownInterface(name, nearest(name, interfaces)), node.span);
  return undefined;
}

/** Names by which the model calls it, as far as they are known. */
function offered(tool: Node, target: string | undefined): readonly (readonly [string, Span])[] {
  const own = get(tool, "name");
  const name = scalarText(own);
  if (get(tool, "mcp") === undefined)
    return target === undefined ? [] : [[modelToolName(name ?? target), own?.span ?? get(tool, "interface")?.span ?? tool.span]];
  const prefix = name === undefined ? "" : `${name}_`;
  return items(get(tool, "allow")).flatMap((item) => {
    const allowed = scalarText(item);
    return allowed === undefined || allowed === "*" ? [] : [[modelToolName(`${prefix}${allowed}`), item.span] as const];
  });
}
