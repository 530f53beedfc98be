import { modelToolName } from "#runtime/formats/tool-name.ts";
import type { AboutPlan, ContractPlan, McpServerPlan, McpToolPlan } from "#runtime/plan/index.ts";
import type { ToolPlan } from "#runtime/plan/tools.ts";
import { schemaShape } from "#runtime/shapes/json-schema.ts";
import { isObject, type Json, type JsonObject, own, put } from "#runtime/value/json.ts";
import { entriesOf, entry, flag, get, type Node, plain, scalarText } from "../../1-read/document.ts";
import { mayBeOn } from "../../2-check/started.ts";
import { toolName } from "../../3-resolve/mcp.ts";
import { paramsOfRoute, repliesToClients } from "../../3-resolve/routes.ts";
import { tools as codes } from "../../diagnostics/codes/mcp.ts";
import type { Report } from "../../diagnostics/diagnostic.ts";
import { present } from "../../present.ts";
import { planParamHeaders } from "./mcp-headers.ts";

/** The facts about an interface that the tool shows to clients. */
export interface Offering {
  readonly name: string;
  readonly route: string | undefined;
  readonly about: AboutPlan | undefined;
  readonly contract: ContractPlan;
}

/** `mcp` of an interface that is enabled (spec/surfaces 6). `texts` are the templates that its answers may be made of. */
export function planMcp(node: Node, offering: Offering, texts: Iterable<Node>, report: Report): McpToolPlan | undefined {
  const mcp = get(node, "mcp");
  if (!mayBeOn(mcp, "enabled")) return undefined;
  const server = scalarText(get(mcp, "server"));
  const list_authorizer = scalarText(get(mcp, "list_authorizer"));
  const { name: _, title, description, discards, inputSchema, beside, outputSchema } = planTool(node, offering);
  const content = [node, ...texts].some(writesContent);
  // Clients refuse an answer that does not fit the schema. The first answer of `respond: early` and content that the author wrote need not
  // fit it.
  const isSchemaKept = outputSchema !== undefined && !content && scalarText(get(node, "respond")) !== "early";
  const declared = entry(get(node, "accepts"), "schema");
  if (declared !== undefined && takesNoObject(plain(declared.value))) report(codes.noArguments(), declared.keySpan);
  const headers = planParamHeaders(inputSchema, declared?.keySpan ?? node.span, report);
  return {
    name: toolName(offering.name, mcp),
    ...present({ title }),
    description: scalarText(get(mcp, "description")) ?? description,
    ...present({ server, list_authorizer, discards }),
    ...(content ? { content: true } : {}),
    ...(headers.length === 0 ? {} : { headers }),
    inputSchema,
    ...present({ beside }),
    ...(isSchemaKept ? { outputSchema } : {}),
  };
}

const writesContent = (node: Node): boolean => JSON.stringify(plain(node)).includes("$mcp");

/**
 * The interface as a tool of any model. Its contract and its tests give the schemas of its arguments and its result (spec/surfaces 6.1).
 */
export function planTool(node: Node, { name, route, about = {}, contract }: Offering): ToolPlan {
  const discards = !repliesToClients(node);
  const beside = besideBody(node, route);
  const outputSchema = givesObjects(contract.output) ? objectSchema(contract.output) : undefined;
  return {
    name: modelToolName(name),
    ...present({ title: about.summary }),
    description: about.summary ?? about.description ?? "",
    ...(discards ? { discards } : {}),
    inputSchema: inputSchema(node, route, contract),
    ...(beside.length === 0 ? {} : { beside }),
    ...(discards || outputSchema === undefined || get(get(node, "produces"), "schema") === undefined ? {} : { outputSchema }),
  };
}

/**
 * The schema of the arguments, from which the body and the parameters are both filled. It joins the demands that the author or the tests
 * make on them. When the author's schema leaves parameters out, only the parameters of the route are added, since every call needs them.
 */
function inputSchema(node: Node, route: string | undefined, { input, params, input_example }: ContractPlan): JsonObject {
  const examples = input_example === undefined ? {} : { examples: [input_example] };
  const declared = get(get(node, "accepts"), "schema");
  const body = objectSchema(declared === undefined ? input : plain(declared));
  const parts = [body, declared === undefined ? objectSchema(params) : undefined, inPath(route)].filter((part) => part !== undefined);
  if (declared !== undefined && route === undefined) return { ...(body ?? { type: "object" }), ...examples };
  const properties: JsonObject = {};
  for (const part of parts) {
    // Where several parts name a member, the schema of the body comes first and wins.
    for (const [name, schema] of Object.entries((part.properties ?? {}) as JsonObject))
      if (own(properties, name) === undefined) put(properties, name, schema);
  }
  const required = [...new Set(parts.flatMap((part) => (Array.isArray(part.required) ? part.required : [])))];
  return {
    ...body,
    type: "object",
    properties,
    ...(required.length === 0 ? {} : { required }),
    ...examples,
  };
}

/** Parameters of the route that a closed schema of the body does not name: they are arguments of the tool, but no members of the body. */
function besideBody(node: Node, route: string | undefined): string[] {
  const schema = get(get(node, "accepts"), "schema");
  const declared = schema === undefined ? undefined : objectSchema(plain(schema));
  if (declared?.additionalProperties !== false && declared?.unevaluatedProperties !== false) return [];
  const { properties = {} } = declared;
  return paramsOfRoute(route).filter((name) => !(isObject(properties) && Object.hasOwn(properties, name)));
}

/** The part of a schema that describes objects, because arguments and structured content of MCP are always objects. */
function objectSchema(schema: Json | undefined): JsonObject | undefined {
  if (schema === undefined || !isObject(schema)) return undefined;
  const { type } = schema;
  if (type === undefined) return { type: "object", ...schema };
  if (Array.isArray(type) && type.includes("object")) return { ...schema, type: "object" };
  return type === "object" ? schema : undefined;
}

/**
 * True when every value that fits the schema is an object. Clients refuse an answer that is no object, although the interface may give it.
 */
const givesObjects = (schema: Json | undefined): boolean => schema !== undefined && schemaShape(schema).type === "object";

/** True when no object satisfies the schema. */
function takesNoObject(schema: Json): boolean {
  const shape = schemaShape(schema);
  return shape.type === "union" ? shape.of.every(({ type }) => type !== "object") : shape.type !== "any" && shape.type !== "object";
}

/** Parameters of the route are taken from the arguments of the same names. */
function inPath(route: string | undefined): JsonObject | undefined {
  const names = paramsOfRoute(route);
  if (names.length === 0) return undefined;
  return { type: "object", properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])), required: names };
}

/** `mcp_servers` of a configuration. */
export function planMcpServers(root: Node): readonly McpServerPlan[] {
  return entriesOf(get(root, "mcp_servers")).map(({ key: id, value }) => {
    const title = scalarText(get(value, "title"));
    const instructions = scalarText(get(value, "instructions"));
    return {
      id,
      ...present({ title, instructions }),
      ...(flag(value, "default") ? { default: true as const } : {}),
    };
  });
}
