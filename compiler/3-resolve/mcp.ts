import type { Span } from "#runtime/plan/index.ts";
import { type Entry, entriesOf, entry, flag, get, type Node, scalarText } from "../1-read/document.ts";
import { mayBeOn } from "../2-check/started.ts";
import { tools as codes } from "../diagnostics/codes/mcp.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import { nearest } from "../diagnostics/nearest.ts";
import type { ResolvedConfig } from "./resolved.ts";

/** A tool as clients see it. `server` is the id of a declared server; a tool without one belongs to the default server. */
interface Offered {
  readonly name: string;
  readonly server: string | undefined;
  readonly interface: string;
  readonly span: Span;
}

/** The name of a tool: its own, else that of its interface (spec/surfaces 6). */
export function toolName(name: string, mcp: Node | undefined): string {
  return scalarText(get(mcp, "tool_name")) ?? name.replace(/[^A-Za-z0-9_.-]/g, "_");
}

/** The servers and tools of all configurations together, the first by name first (spec/surfaces 6). */
export function checkTools(configs: readonly ResolvedConfig[], report: Report): void {
  const sorted = [...configs].sort((a, b) => (a.name < b.name ? -1 : 1));
  const usual = checkServers(sorted, report);
  const declared = new Set(sorted.flatMap((config) => serversOf(config).map(({ key }) => key)));
  const first = new Map<string, Offered>();
  for (const config of sorted) {
    for (const tool of offeredBy(config, declared, report)) {
      const key = `${tool.server ?? usual ?? ""} ${tool.name}`;
      const other = first.get(key);
      if (other === undefined) first.set(key, tool);
      else
        report(codes.toolTwice(tool.name, other.interface, tool.interface), tool.span, [
          { at: other.span, message: `offered here by '${other.interface}'` },
        ]);
    }
  }
}

const serversOf = ({ root }: ResolvedConfig): readonly Entry[] => entriesOf(get(root, "mcp_servers"));

/** The id of the default server, if one is declared. */
function checkServers(configs: readonly ResolvedConfig[], report: Report): string | undefined {
  const owners = new Map<string, ResolvedConfig>();
  let usual: { readonly id: string; readonly config: ResolvedConfig } | undefined;
  for (const config of configs) {
    let own: string | undefined;
    for (const { key: id, keySpan, value } of serversOf(config)) {
      if (!/^[a-z0-9-]{1,64}$/.test(id)) report(codes.serverId(id), keySpan);
      const owner = owners.get(id);
      if (owner === undefined) owners.set(id, config);
      else report(codes.lateServer(id, owner.name), keySpan);
      if (owner !== undefined || !flag(value, "default")) continue;
      const at = entry(value, "default")?.keySpan ?? keySpan;
      if (own !== undefined) report(codes.secondDefault(own, id), at);
      else if (usual !== undefined) report(codes.lateDefault(id, usual.config.name), at);
      own ??= id;
      usual ??= { id, config };
    }
  }
  return usual?.id;
}

function offeredBy(config: ResolvedConfig, declared: ReadonlySet<string>, report: Report): Offered[] {
  const own = serversOf(config).map(({ key }) => key);
  return config.interfaces.flatMap(({ name: target, node, span }) => {
    const mcp = get(node, "mcp");
    const block = entry(node, "mcp");
    if (block !== undefined && mcp !== undefined && entry(mcp, "enabled") === undefined) report(codes.off(), block.keySpan);
    if (!mayBeOn(mcp, "enabled")) return [];
    const nameNode = get(mcp, "tool_name");
    const name = toolName(target, mcp);
    if (nameNode !== undefined && !/^[A-Za-z0-9_.-]{1,64}$/.test(name)) report(codes.toolName(name), nameNode.span);
    const joined = get(mcp, "server");
    const server = scalarText(joined);
    if (joined !== undefined && server !== undefined && !declared.has(server)) {
      report(own.length > 0 ? codes.unknownServer(server, nearest(server, own)) : codes.unpublished(server), joined.span);
      return [];
    }
    if (joined !== undefined && server !== undefined && own.length > 0 && !own.includes(server)) {
      report(codes.unknownServer(server, nearest(server, own)), joined.span);
      return [];
    }
    return [{ name, server, interface: target, span: nameNode?.span ?? span }];
  });
}
