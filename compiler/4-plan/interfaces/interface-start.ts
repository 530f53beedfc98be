import type { InterfaceStartPlan } from "#runtime/plan/index.ts";
import { get, type Node } from "../../1-read/document.ts";
import { isStarted } from "../../2-check/started.ts";
import { present } from "../../present.ts";
import { lower } from "../lower/values.ts";
import type { Lowering } from "../markers/scope.ts";

/** Fields of the interface that are read when the process starts. A field is here only when one of its values has a marker. */
export function planStart(node: Node, network: InterfaceStartPlan["network"], cx: Lowering): InterfaceStartPlan | undefined {
  const { properties = {} } = cx.definitions.Interface ?? {};
  const read = (key: "show_error_detail" | "public" | "capture" | "schedule"): InterfaceStartPlan => {
    const value = get(node, key);
    return isStarted(value) && value !== undefined
      ? { [key]: lower(value, properties[key] ?? {}, cx, { field: key, required: false }) }
      : {};
  };
  const enabled = get(get(node, "mcp"), "enabled");
  const tool = { field: "enabled", required: false };
  const codes = statusesOf(get(node, "response"));
  const start: InterfaceStartPlan = {
    ...read("show_error_detail"),
    ...(get(node, "ws") === undefined && get(node, "mqtt") === undefined ? {} : read("public")),
    ...(enabled === undefined || !isStarted(enabled)
      ? {}
      : { mcp: lower(enabled, cx.definitions.McpTool?.properties?.enabled ?? {}, cx, tool) }),
    ...(isStarted(codes) && codes !== undefined ? { response: lower(codes, { $ref: "#/$defs/InterfaceResponse" }, cx) } : {}),
    ...read("schedule"),
    ...read("capture"),
    ...present({ network }),
  };
  return Object.keys(start).length === 0 ? undefined : start;
}

/** The static part of a response, without what is evaluated for each run. */
const statusesOf = (response: Node | undefined): Node | undefined =>
  response?.kind === "map" ? { ...response, entries: response.entries.filter(({ key }) => key.startsWith("http_code_")) } : undefined;
