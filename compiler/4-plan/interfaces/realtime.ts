import type { InterfacePlan } from "#runtime/plan/index.ts";
import { entry, get, type Node, scalarText } from "../../1-read/document.ts";
import { mayBeOn } from "../../2-check/started.ts";
import type { ResolvedInterface } from "../../3-resolve/resolved.ts";
import { repliesToClients } from "../../3-resolve/routes.ts";
import { shape } from "../../diagnostics/codes/file.ts";
import { mqtt as codes } from "../../diagnostics/codes/mqtt.ts";
import type { Report } from "../../diagnostics/diagnostic.ts";
import { present } from "../../present.ts";

/**
 * The triggers of an interface whose clients stay connected, and who may use them (spec/surfaces 3 and 4). Without such a trigger the other
 * fields have no effect.
 */
export function planRealtime(
  { node, verifies }: ResolvedInterface,
  report: Report,
): Pick<InterfacePlan, "ws" | "mqtt" | "public" | "subscribe_authorizer" | "verifies"> {
  const ws = scalarText(get(node, "ws")) !== undefined;
  const mqtt = planMarker(get(node, "mqtt"), report);
  if (!ws && mqtt === undefined) {
    // A trigger whose value was a mistake is there without a value.
    const idle = entry(node, "ws") === undefined && entry(node, "mqtt") === undefined ? ["public", "subscribe_authorizer"] : [];
    for (const key of idle) if (get(node, key) !== undefined) report(shape.noEffect(key), entry(node, key)?.keySpan ?? node.span);
    return {};
  }
  const authorizer = scalarText(get(node, "subscribe_authorizer"));
  return {
    ...(ws ? { ws: repliesToClients(node) ? "reply" : "discard" } : {}),
    ...present({ mqtt }),
    ...(mayBeOn(node, "public") ? { public: true } : {}),
    ...present({ subscribe_authorizer: authorizer }),
    ...(verifies ? { verifies } : {}),
  };
}

/** The end of the topic that runs the interface: levels of a topic name, none of them a wildcard. */
function planMarker(node: Node | undefined, report: Report): string | undefined {
  const marker = scalarText(node);
  if (node === undefined || marker === undefined) return undefined;
  const isLevels = /^[^+#\0]{1,1024}$/.test(marker) && marker.split("/").every((level) => level !== "");
  if (!isLevels) report(codes.marker(marker), node.span);
  return marker;
}
