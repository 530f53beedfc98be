import { paramHeadersOf } from "#runtime/formats/mcp-param-headers.ts";
import type { Span } from "#runtime/plan/index.ts";
import type { McpParamHeader } from "#runtime/plan/tools.ts";
import type { JsonObject } from "#runtime/value/json.ts";
import { tools as codes } from "../../diagnostics/codes/mcp.ts";
import type { Report } from "../../diagnostics/diagnostic.ts";

/**
 * The members of an input schema that requests repeat in headers. A member that clients would refuse gets a warning, and then no member of
 * the tool is checked.
 */
export function planParamHeaders(schema: JsonObject, at: Span, report: Report): readonly McpParamHeader[] {
  const { found, reasons } = paramHeadersOf(schema);
  for (const reason of reasons) report(codes.paramHeader(reason), at);
  return reasons.size === 0 ? found : [];
}
