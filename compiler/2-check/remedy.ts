import type { JsonSchema } from "#runtime/features/feature.ts";
import { readCron } from "#runtime/languages/cron-fields.ts";
import { type Node, scalarText } from "../1-read/document.ts";
import { onlyMarker, parseTemplate } from "../1-read/markers/markers.ts";
import { flagFor } from "../other-tools/flags.ts";
import { cronFor } from "../other-tools/schedules.ts";
import { formsOf, soleKey, takesItem } from "./forms.ts";
import type { ErrorPlace } from "./place.ts";
import type { Definitions } from "./shapes.ts";
import { shortForms } from "./short-forms.ts";
import { holdsMarker } from "./validator.ts";

/** How a value is written so that it fits: in quotes, as the only item of a list, or as the key of a record that is always there. */
export function remedy(
  expected: string,
  { node, key, parent }: ErrorPlace,
  schema: JsonSchema,
  definitions: Definitions,
): { hint?: string; instead?: string } {
  if (node.kind !== "scalar") {
    const structure = structureRemedy({ node, key, parent }, schema, definitions);
    const whole = structure.hint === undefined && expected === "string" ? wholeText(node) : undefined;
    return whole === undefined ? structure : { hint: `write ${whole} itself` };
  }
  if (node.block || node.value === null) return {};
  const isItem = takesItem(schema, node, definitions);
  // As the only item, a marker that gives a list would be the text of all of it.
  if (isItem && holdsMarker(scalarText(node) ?? ""))
    return { hint: "write the list; each of its items may be a marker that gives one text" };
  const isPath = formsOf(parent.properties?.[key] ?? schema, definitions).some(({ context }) => context === "path");
  if (isPath && node.value === true) return { hint: "write $ for the data as a whole", instead: "$" };
  const flag = expected === "boolean" && typeof node.value === "string" ? flagFor(node.source) : undefined;
  if (flag !== undefined) return { hint: `write ${flag}`, instead: flag };
  if ((expected === "integer" || expected === "number") && /^(["'])-?\d+\1$/.test(node.source))
    return { hint: "write it without quotes", instead: node.source.slice(1, -1) };
  if (key === "name" && parent.title === "Action") return { hint: "a name begins with a letter or _" };
  if (expected === "string") return { hint: "put it in quotes", instead: `"${node.source}"` };
  if (key === "schedule" && parent.title === "Interface") return scheduleRemedy(node.source, String(node.value));
  if (node.value === true && takesEnabled(parent.properties?.[key] ?? schema, definitions))
    return { hint: "write { enabled: true }", instead: "{ enabled: true }" };
  if (node.value === true && parent.title === "Test") return { hint: `true does not say by what${exampleOf(schema, definitions)}` };
  const isPlain = typeof node.value !== "string" || /^[^\s,[\]{}#&*!|>'"%@`]*$/.test(node.source);
  const value = isPlain ? node.source : JSON.stringify(node.value);
  const sole = soleKey(schema, definitions, node);
  // A plain text has the commas of a list without its brackets.
  const isList = /^[^"'[\]{}:#|]+(?:, [^"'[\]{}:#|]+)+$/.test(node.source);
  const [, method, url] = sole === "url" ? (/^([A-Z]{3,7}) (\S+)$/.exec(String(node.value)) ?? []) : [];
  const record = url === undefined ? `{ ${sole}: ${value} }` : `{ method: ${method}, url: ${JSON.stringify(url)} }`;
  const example = isItem ? `[${isList ? node.source : value}]` : sole === undefined ? undefined : record;
  if (example !== undefined) return { hint: `write ${example}`, instead: example };
  const [{ title = "", properties = {} } = {}] = formsOf(schema, definitions);
  const short = typeof node.value === "string" ? shortForms[title]?.({ text: node.value, source: node.source }, definitions) : undefined;
  if (short !== undefined) return short;
  return title === "Transform" && Object.hasOwn(properties, value) ? { hint: `write '${value}: …'` } : {};
}

/** The only text of a map, where the text alone is meant: `{ path: body.id }`. */
function wholeText(node: Node): string | undefined {
  const [only, ...others] = node.kind === "map" ? node.entries : [];
  const value = others.length === 0 ? only?.value : undefined;
  return value?.kind === "scalar" && typeof value.value === "string" && !value.block ? value.source : undefined;
}

/**
 * Hints about a list or a map that stands where none may: by its key, by the record around it, and by its kind. `KEY` in a hint is the key.
 */
const structureHints: readonly { readonly key?: string; readonly title?: string; readonly kind?: Node["kind"]; readonly hint: string }[] = [
  {
    key: "lookup",
    title: "Action",
    hint: "a marker names the list: a|Items|, where an action 'Items' makes it with 'json_output'; 'actions' stands beside it",
  },
  { key: "actions", kind: "map", hint: "begin each action with '- name: …'" },
  { key: "assert", kind: "list", hint: "write KEY: { tests: [...] }" },
  { key: "run_on_assertion", kind: "list", hint: "write KEY: { tests: [...] }" },
  { key: "ws", hint: "write 'true': clients name channels themselves, and actions publish to them by 'ws_publish'" },
  { title: "Effect", kind: "map", hint: "'KEY' has no map: write other members beside it" },
  { key: "mqtt", hint: "write the end of the topic as a text" },
  { key: "database", title: "Action", kind: "map", hint: "databases stand in 'global.databases'; write the name of one" },
  { key: "params", title: "Action", hint: "a list, with a value for each ? or $1 in its order" },
  { key: "method", hint: "write one, or ANY for all of them" },
];

function structureRemedy(
  { node, key, parent }: Pick<ErrorPlace, "node" | "key" | "parent">,
  schema: JsonSchema,
  definitions: Definitions,
): { hint?: string; instead?: string } {
  const rule = structureHints.find(
    (one) => (one.key ?? key) === key && (one.title ?? parent.title) === parent.title && (one.kind ?? node.kind) === node.kind,
  );
  if (rule !== undefined) return { hint: rule.hint.replaceAll("KEY", () => key) };
  if (key === "custom_body" || key === "error_body" || (key === "body" && parent.title === "ActionResponse"))
    return { hint: "write it as a text of JSON", instead: `'${template(node).replaceAll("'", "''")}'` };
  const areNamed = formsOf(parent.properties?.[key] ?? schema, definitions).some(
    ({ properties, additionalProperties: each }) =>
      properties === undefined && typeof each === "object" && formsOf(each, definitions).some((form) => form.properties !== undefined),
  );
  if (node.kind !== "list" || !areNamed) return {};
  const isFlow = node.items.length > 0 && node.items.every((item) => item.kind === "scalar");
  return { hint: isFlow ? "write a map, in which each name is a key" : "begin each with its name as a key, without '- '" };
}

/** An example of the record of a matcher, as the end of a sentence; empty for a matcher without one. */
function exampleOf(schema: JsonSchema, definitions: Definitions): string {
  const record = formsOf(schema, definitions).find(({ properties }) => properties !== undefined);
  if (record === undefined) return "";
  const [first = "secret"] = Object.keys(record.properties ?? {});
  const { required = [first] } = record;
  return `; such as { ${required.map((key) => `${key}: …`).join(", ")} }`;
}

/** The structure as a JSON template, in which a marker alone is a value, and others stay as they are written. */
function template(node: Node): string {
  if (node.kind === "list") return `[${node.items.map(template).join(", ")}]`;
  if (node.kind === "map") return `{${node.entries.map(({ key, value }) => `${quoted(key)}: ${template(value)}`).join(", ")}}`;
  const { value } = node;
  if (typeof value !== "string") return JSON.stringify(value);
  return /^a\|.*\|$/.test(value) && onlyMarker(parseTemplate(value)) !== undefined ? value : quoted(value);
}

/** A text of JSON with its markers and escaped markers as they are written. */
function quoted(text: string): string {
  const parts = parseTemplate(text).parts.map(({ start, end, ...part }) => {
    const source = text.slice(start, end);
    return part.kind === "text" && part.text === source ? JSON.stringify(source).slice(1, -1) : source;
  });
  return `"${parts.join("")}"`;
}

/** A line of cron where the record of a schedule stands; one that is no schedule is not repeated. */
function scheduleRemedy(source: string, text: string): { hint: string; instead?: string } {
  const rule = cronFor(text);
  const problem = rule !== undefined || holdsMarker(text) ? undefined : readCron(text);
  if (typeof problem === "string") return { hint: `write { cron: "…", enabled: true }; ${problem}` };
  const example = `{ cron: ${rule === undefined && /^["']/.test(source) ? source : JSON.stringify(rule ?? text)}, enabled: true }`;
  return { hint: `write ${example}`, instead: example };
}

/** True for a record that a flag of its own switches on, and that needs nothing else. */
const takesEnabled = (schema: JsonSchema, definitions: Definitions): boolean =>
  formsOf(schema, definitions).some(({ properties, required = [] }) => properties?.enabled?.type === "boolean" && required.length === 0);
