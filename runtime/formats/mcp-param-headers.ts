import type { McpParamHeader } from "../plan/tools.ts";
import { isObject, type Json, type JsonObject } from "../value/json.ts";

const annotation = "x-mcp-header";

/** The members of an input schema that requests repeat in headers, and why clients refuse such a schema. */
export interface ParamHeaders {
  readonly found: readonly McpParamHeader[];
  readonly reasons: ReadonlySet<string>;
}

export function paramHeadersOf(schema: JsonObject): ParamHeaders {
  const headers: McpParamHeader[] = [];
  const reasons = new Set<string>();
  collect(schema, [], { found: headers, reasons });
  const names = headers.map(({ name }) => name.toLowerCase());
  const twice = headers.find(({ name }, i) => names.indexOf(name.toLowerCase()) < i);
  if (twice !== undefined) reasons.add(`two members have the header '${twice.name}'`);
  return { found: headers, reasons };
}

interface Gathering {
  readonly found: McpParamHeader[];
  readonly reasons: Set<string>;
}

/** `path` is undefined where a value need not be at one place: in lists, alternatives and definitions. */
function collect(schema: Json, path: readonly string[] | undefined, into: Gathering): void {
  if (Array.isArray(schema)) for (const item of schema) collect(item, undefined, into);
  if (!isObject(schema)) return;
  const name = schema[annotation];
  if (name !== undefined) {
    const reason = faultOf(name, schema, path);
    if (reason !== undefined) into.reasons.add(reason);
    else into.found.push({ name: String(name), path: path ?? [], ...(schema.type === "integer" ? { number: true } : {}) });
  }
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "properties" && isObject(value)) {
      for (const [member, inner] of Object.entries(value)) collect(inner, path === undefined ? undefined : [...path, member], into);
    } else if (!data.has(keyword)) collect(value, undefined, into);
  }
}

/** Keywords whose value is data, in which nothing is a schema. */
const data: ReadonlySet<string> = new Set(["const", "enum", "default", "example", "examples", "required", annotation]);

function faultOf(name: Json, { type }: JsonObject, path: readonly string[] | undefined): string | undefined {
  if (typeof name !== "string" || !/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name))
    return `${JSON.stringify(name)} cannot be the name of a header`;
  if (path === undefined || path.length === 0) return `'${name}' is not at a member that is reached by properties alone`;
  const isFit = type === "string" || type === "integer" || type === "boolean";
  return isFit ? undefined : `the member of '${name}' is no string, integer or boolean`;
}
