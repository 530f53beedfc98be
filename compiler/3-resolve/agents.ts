import { modelToolName } from "#runtime/formats/tool-name.ts";
import { isSecureWay } from "#runtime/outgoing/secure-way.ts";
import type { Span } from "#runtime/plan/index.ts";
import { type Entry, entriesOf, entry, get, items, type Node, scalarText } from "../1-read/document.ts";
import { agents as codes } from "../diagnostics/codes/agents.ts";
import { names } from "../diagnostics/codes/names.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import { nearest } from "../diagnostics/nearest.ts";

/** The interfaces that agents of a configuration run; names with mistakes, which are reported, are among them. */
export interface CalledByAgents {
  /** Interfaces that are tools. */
  readonly tools: ReadonlySet<string>;
  /** Interfaces that tell a user that a call waits for a confirmation. */
  readonly askers: ReadonlySet<string>;
}

/** Looks at the tools of all agents of a configuration, and gives the interfaces that they run (spec/surfaces 15.1). */
export function calledByAgents(declared: readonly Entry[], authorizers: ReadonlySet<string>, report: Report): CalledByAgents {
  const interfaces = declared.map(({ key }) => key);
  const owners = declared.map(({ key, value }) => ({ owner: key, ...callsOf(key, value, interfaces, report) }));
  const next = new Map(owners.map(({ owner, tools, askers }) => [owner, [...tools, ...askers.map(({ name }) => name)]]));
  for (const { owner, askers, confirms } of owners) {
    for (const { name, at } of askers) if (leadsTo(owner, name, next)) report(codes.askerCircle(name, owner), at);
    if (authorizers.has(owner)) for (const at of confirms) report(codes.confirm(), at);
  }
  return {
    tools: new Set(owners.flatMap(({ tools }) => tools)),
    askers: new Set(owners.flatMap(({ askers }) => askers.map(({ name }) => name))),
  };
}

/** True when a run of interface `from` may run interface `goal`, directly by its agents or by agents of interfaces in between. */
function leadsTo(goal: string, from: string, next: ReadonlyMap<string, readonly string[]>): boolean {
  const seen = new Set([from]);
  for (const name of seen) for (const each of next.get(name) ?? []) seen.add(each);
  return seen.has(goal);
}

interface CallsOfAgents {
  readonly tools: readonly string[];
  readonly askers: readonly { readonly name: string; readonly at: Span }[];
  /** The places that ask for a confirmation of calls. */
  readonly confirms: readonly Span[];
}

function callsOf(owner: string, node: Node, interfaces: readonly string[], report: Report): CallsOfAgents {
  const agents = agentsIn(items(get(node, "actions")));
  const tools = agents.flatMap((agent) => items(get(agent, "tools")));
  const confirms = tools.flatMap((tool) => entry(tool, "confirm") ?? []).filter((confirm) => !isOff(confirm));
  return {
    tools: agents.flatMap((agent) => toolsOf(agent, owner, interfaces, report)),
    askers: confirms.flatMap(({ value }) => askerOf(get(value, "interface"), interfaces, report) ?? []),
    confirms: confirms.map(({ keySpan }) => keySpan),
  };
}

function toolsOf(agent: Node, owner: string, interfaces: readonly string[], report: Report): readonly string[] {
  const first = new Map<string, Span>();
  return items(get(agent, "tools")).flatMap((tool) => {
    checkForm(tool, report);
    const target = interfaceOf(tool, owner, interfaces, report);
    for (const [name, at] of offered(tool, target)) {
      const other = first.get(name);
      if (other === undefined) first.set(name, at);
      else report(codes.toolTwice(name), at, [{ at: other, message: "offered here first" }]);
    }
    const name = scalarText(get(tool, "interface"));
    return target ?? (name === undefined || name === owner ? [] : name);
  });
}

/** The interface that tells a user of a call that waits for a confirmation. */
function askerOf(target: Node | undefined, interfaces: readonly string[], report: Report): { name: string; at: Span } | undefined {
  const name = scalarText(target);
  if (target === undefined || name === undefined) return undefined;
  if (!interfaces.includes(name)) report(names.unknownInterface(name, nearest(name, interfaces)), target.span);
  return { name, at: target.span };
}

/** Blocks of agents, in loops too. */
const agentsIn = (actions: readonly Node[]): readonly Node[] =>
  actions.flatMap((action) => [
    ...entriesOf(action).flatMap(({ key, value }) => (key === "agent" ? [value] : [])),
    ...agentsIn(items(get(action, "actions"))),
  ]);

/** Checks that a tool is either an interface, or the allowed tools of a server. */
function checkForm(tool: Node, report: Report): void {
  const [own, mcp, allow] = [entry(tool, "interface"), entry(tool, "mcp"), entry(tool, "allow")];
  if ((own === undefined) === (mcp === undefined)) report(codes.toolForm(), tool.span);
  else if (mcp !== undefined) checkServer(mcp, allow, report);
  const strange = mcp === undefined ? allow : entry(tool, "description");
  if (strange !== undefined && (own === undefined) !== (mcp === undefined))
    report(codes.toolField(strange.key, mcp === undefined ? "mcp" : "interface"), strange.keySpan);
}

const isOff = ({ value }: Entry): boolean => scalarText(value) === "false";

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

/** The names by which the model calls the tool, as far as they are known. */
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
