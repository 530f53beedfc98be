import type { Reply } from "../../run/response.ts";
import { isObject, type Json, type JsonObject, own } from "../../value/json.ts";
import { jsonOf } from "../reply-json.ts";
import type { Client } from "./client.ts";
import type { McpServer, Tool } from "./servers.ts";

/** The most tools of one page of a list. */
const pageSize = 100;

/** A list of tools for this client; undefined when the cursor is invalid. */
export async function listTools(server: McpServer, client: Client, cursor: Json | undefined): Promise<JsonObject | undefined> {
  const after = cursor === undefined ? "" : nameIn(cursor);
  if (after === undefined) return undefined;
  const seen = (await visible(server, client)).filter(({ spec }) => spec.name > after);
  const page = seen.slice(0, pageSize);
  const last = page.at(-1);
  return {
    tools: page.map(({ spec: { name, title, description, inputSchema, outputSchema } }) => ({
      name,
      ...(title === undefined ? {} : { title }),
      description,
      inputSchema,
      ...(outputSchema === undefined ? {} : { outputSchema }),
    })),
    ...(seen.length > pageSize && last !== undefined ? { nextCursor: Buffer.from(last.spec.name).toString("base64url") } : {}),
  };
}

/** How long a list may be cached, and by whom: a list that depends on the rights of a client is private. */
export function freshness({ tools }: McpServer): { readonly ttlMs: number; readonly cacheScope: "private" | "public" } {
  const isGated = [...tools.values()].some(({ spec }) => spec.list_authorizer !== undefined);
  return isGated ? { ttlMs: 0, cacheScope: "private" } : { ttlMs: 60_000, cacheScope: "public" };
}

function nameIn(cursor: Json): string | undefined {
  if (typeof cursor !== "string") return undefined;
  const name = Buffer.from(cursor, "base64url").toString();
  return name !== "" && Buffer.from(name).toString("base64url") === cursor ? name : undefined;
}

/** The tools that the client may see. Each authorizer is asked once, all at the same time. */
async function visible(server: McpServer, client: Client): Promise<readonly Tool[]> {
  const tools = [...server.tools.values()];
  const gated = Map.groupBy(
    tools.filter(({ spec }) => spec.list_authorizer !== undefined),
    ({ config, spec }) => `${config.name} ${spec.list_authorizer}`,
  );
  const answers = [...gated.values()].map(async (group) => {
    const [first] = group;
    const names = group.map(({ spec }) => spec.name);
    return first !== undefined && (await client.maySee(first, names, server.name)) ? group : [];
  });
  const granted = new Set((await Promise.all(answers)).flat());
  return tools.filter((tool) => tool.spec.list_authorizer === undefined || granted.has(tool));
}

/**
 * The result of a call: the body of the answer as text, and its value if it is JSON. A client checks the value against the schema of the
 * tool, which has no form for errors; an error therefore has the text only, since a failed check would lose the text, too.
 */
export function plainResult({ spec }: Tool, reply: Reply, isModern: boolean): JsonObject {
  const value = isError(reply) && spec.outputSchema !== undefined ? undefined : jsonOf(reply);
  const structured = value !== undefined && (isModern || isObject(value)) ? { structuredContent: value } : {};
  return { content: [{ type: "text", text: reply.body }], ...structured, isError: isError(reply) };
}

/**
 * Content that an interface has written itself: `{"$mcp": {"content": […]}}` as the whole body may hold images, audio or several parts. The
 * content is not checked here.
 */
export function ownResult(reply: Reply): JsonObject | undefined {
  const body = jsonOf(reply) ?? null;
  if (!isObject(body) || Object.keys(body).length !== 1) return undefined;
  const reserved = own(body, "$mcp") ?? null;
  const content = isObject(reserved) ? own(reserved, "content") : undefined;
  return content === undefined ? undefined : { content, isError: isError(reply) };
}

const isError = ({ status }: Reply): boolean => status >= 400;
