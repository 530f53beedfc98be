import { Failure } from "../value/failure.ts";
import { asObject, type Json, type JsonObject } from "../value/json.ts";
import type { StartForm } from "./form.ts";

/** Reads `mcp_servers` at the start, each with its id. The environment may not make two of them the default. */
export function startServers(records: JsonObject, field: (path: string, form: StartForm, read: () => Json) => Json): readonly JsonObject[] {
  const servers = Object.entries(records).map(([id, record]) => ({ id, ...asObject(record) }));
  const [first, ...more] = servers.filter((each: JsonObject) => each.default === true);
  for (const { id } of more)
    field("mcp_servers", {}, () => {
      throw new Failure("evaluation", `MCP servers '${first?.id}' and '${id}' are both the default`);
    });
  return servers;
}
