import type { JsonSchema } from "#runtime/features/feature.ts";
import { readCron } from "#runtime/languages/cron-fields.ts";
import { scalarText } from "../1-read/document.ts";
import { formsOf, soleKey, takesItem } from "./forms.ts";
import type { ErrorPlace } from "./place.ts";
import type { Definitions } from "./shapes.ts";
import { holdsMarker } from "./validator.ts";

/** How a value is written so that it fits: in quotes, as the only item of a list, or as the key of a record that is always there. */
export function remedy(
  expected: string,
  { node, key, parent }: ErrorPlace,
  schema: JsonSchema,
  definitions: Definitions,
): { hint?: string; instead?: string } {
  if (key === "lookup" && parent.title === "Action" && node.kind === "list")
    return { hint: "a marker names the list: a|Items|, where an action 'Items' makes it with 'json_output'" };
  if (key === "actions" && node.kind === "map") return { hint: "begin each action with '- name: …'" };
  if (key === "interfaces" && node.kind === "list") return { hint: "begin each interface with its name as a key, without '- '" };
  if (key === "assert" && node.kind === "list") return { hint: "write assert: { tests: [...] }" };
  if (key === "database" && parent.title === "Action" && node.kind === "map")
    return { hint: "databases stand in 'global.databases'; write the name of one" };
  if (node.kind !== "scalar" || node.block || node.value === null) return {};
  const isItem = takesItem(schema, node, definitions);
  // As the only item, a marker that gives a list would be the text of all of it.
  if (isItem && holdsMarker(scalarText(node) ?? ""))
    return { hint: "write the list; each of its items may be a marker that gives one text" };
  const isPath = formsOf(parent.properties?.[key] ?? schema, definitions).some(({ context }) => context === "path");
  if (isPath && node.value === true) return { hint: "write $ for the data as a whole", instead: "$" };
  if (expected === "boolean" && typeof node.value === "string" && Object.hasOwn(flags, node.source.toLowerCase())) {
    const flag = flags[node.source.toLowerCase()];
    return { hint: `write ${flag}`, instead: `${flag}` };
  }
  if ((expected === "integer" || expected === "number") && /^(["'])-?\d+\1$/.test(node.source))
    return { hint: "write it without quotes", instead: node.source.slice(1, -1) };
  if (key === "name" && parent.title === "Action") return { hint: "a name begins with a letter or _" };
  if (expected === "string") return { hint: "put it in quotes", instead: `"${node.source}"` };
  if (key === "schedule" && parent.title === "Interface") return scheduleRemedy(node.source, String(node.value));
  if (node.value === true && takesEnabled(parent.properties?.[key] ?? schema, definitions))
    return { hint: "write { enabled: true }", instead: "{ enabled: true }" };
  const isPlain = typeof node.value !== "string" || /^[^\s,[\]{}#&*!|>'"%@`]*$/.test(node.source);
  const value = isPlain ? node.source : JSON.stringify(node.value);
  const sole = soleKey(schema, definitions, node);
  // A plain text has the commas of a list without its brackets.
  const isList = /^[^"'[\]{}:#|]+(?:, [^"'[\]{}:#|]+)+$/.test(node.source);
  const example = isItem ? `[${isList ? node.source : value}]` : sole === undefined ? undefined : `{ ${sole}: ${value} }`;
  return example === undefined ? {} : { hint: `write ${example}`, instead: example };
}

/** Words for a flag in YAML 1.1, which are texts in YAML 1.2. */
const flags: Readonly<Record<string, boolean>> = { yes: true, y: true, on: true, no: false, n: false, off: false };

/** A line of cron where the record of a schedule stands; one that is no schedule is not repeated. */
function scheduleRemedy(source: string, text: string): { hint: string; instead?: string } {
  const problem = holdsMarker(text) ? undefined : readCron(text);
  if (typeof problem === "string") return { hint: `write { cron: "…", enabled: true }; ${problem}` };
  const example = `{ cron: ${/^["']/.test(source) ? source : JSON.stringify(text)}, enabled: true }`;
  return { hint: `write ${example}`, instead: example };
}

/** True for a record that a flag of its own switches on, and that needs nothing else. */
const takesEnabled = (schema: JsonSchema, definitions: Definitions): boolean =>
  formsOf(schema, definitions).some(({ properties, required = [] }) => properties?.enabled?.type === "boolean" && required.length === 0);
