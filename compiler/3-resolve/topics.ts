import { get, scalarText } from "../1-read/document.ts";
import { mqtt } from "../diagnostics/codes/mqtt.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import type { ResolvedConfig, ResolvedInterface } from "./resolved.ts";

/** Checks topics. A message runs one interface, so two interfaces with the same topic exclude each other, across configs too (PW696). */
export function checkTopics(configs: readonly ResolvedConfig[], report: Report): void {
  const owners = new Map<string, { readonly target: ResolvedInterface; readonly at: ResolvedInterface["span"] }>();
  for (const target of configs.flatMap(({ interfaces }) => interfaces)) {
    const node = get(target.node, "mqtt");
    const marker = scalarText(node);
    if (node === undefined || marker === undefined) continue;
    const topic = `${target.name}/${marker}`;
    const other = owners.get(topic);
    if (other === undefined) owners.set(topic, { target, at: node.span });
    else report(mqtt.topicTwice(topic, other.target.name), node.span, [{ at: other.at, message: `taken here by '${other.target.name}'` }]);
  }
}
