import type { Context, JsonSchema } from "#runtime/features/feature.ts";

/** A key of a feature's arguments, in the words of the reference page. */
interface Row {
  /** The path of the key, such as `headers` or `rows[].name`; `*` stands for a name that the author chooses. */
  readonly key: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

/** Describes the arguments of a feature as Markdown: one line for the value as a whole, and a table of its keys if it is a record. */
export function argumentsOf(schema: JsonSchema): string {
  const rows = keysOf("", schema);
  const lead = `${[`Type: ${typeOf(schema)}.`, ...meanings(schema)].join(" ")}\n`;
  if (rows.length === 0) return schema.properties === undefined ? `${lead}\nMarkers: ${markersOf(schema)}.\n` : lead;
  const lines = rows.map(({ key, required, schema: argument }) => {
    const meaning = argument.description ?? "";
    return row([`\`${key}\`${required ? " (required)" : ""}`, typeOf(argument), presetOf(argument), markersOf(argument), meaning]);
  });
  return [lead, row(["Key", "Type", "Default", "Markers", "Meaning"]), row(["---", "---", "---", "---", "---"]), ...lines, ""].join("\n");
}

/** The meanings of a value: its description, or the descriptions of its forms if it has none. */
function meanings({ description, anyOf = [] }: JsonSchema): readonly string[] {
  if (description !== undefined) return [description];
  return anyOf.flatMap((form) => (form.description === undefined ? [] : [`A ${typeOf(form)}: ${form.description}`]));
}

/** The keys of a record, each followed by the keys of the record inside it. */
function keysOf(prefix: string, schema: JsonSchema): readonly Row[] {
  if (schema.type === "array" && schema.items?.properties !== undefined) return keysOf(`${prefix}[]`, schema.items);
  const dot = prefix === "" ? "" : `${prefix}.`;
  const rows = Object.entries(schema.properties ?? {}).flatMap(([key, member]): readonly Row[] => [
    { key: `${dot}${key}`, required: schema.required?.includes(key) === true, schema: member },
    ...keysOf(`${dot}${key}`, member),
  ]);
  const forms = (schema.anyOf ?? []).flatMap((form) => keysOf(prefix, form));
  const free = schema.additionalProperties;
  if (typeof free !== "object" || (prefix !== "" && free.description === undefined)) return [...rows, ...forms];
  return [...rows, ...forms, { key: `${dot}*`, required: false, schema: free }, ...keysOf(`${dot}*`, free)];
}

/** The words for the target of a reference: a link to its page, or the type of a record without keys. */
export type TypeOfRecord = (schema: JsonSchema) => string | undefined;

const noRecords: TypeOfRecord = () => undefined;

/** A type in the words of YAML authors: text, number, boolean, list, map, or the words to choose from. */
export function typeOf(schema: JsonSchema, ofRecord: TypeOfRecord = noRecords): string {
  const types = [...new Set(typesOf(schema, ofRecord))];
  const literals = types.filter((type) => type.startsWith("`"));
  const all = [...(literals.length > 0 ? [`one of ${literals.join(", ")}`] : []), ...types.filter((type) => !literals.includes(type))];
  return [all.slice(0, -1).join(", "), ...all.slice(-1)].filter((part) => part !== "").join(" or ");
}

function typesOf(schema: JsonSchema, ofRecord: TypeOfRecord = noRecords): readonly string[] {
  const record = ofRecord(schema);
  if (record !== undefined) return [record];
  if (schema.format === "duration") return ["duration"];
  if (schema.enum !== undefined) return schema.enum.map((word) => `\`${String(word)}\``);
  if (schema.anyOf !== undefined) return schema.anyOf.flatMap((form) => typesOf(form, ofRecord));
  if (schema.type === undefined) return ["any value"];
  const types = typeof schema.type === "string" ? [schema.type] : schema.type;
  return types.map((type) => `${nameOf(type, schema, ofRecord)}${range(schema)}`);
}

function nameOf(type: string, schema: JsonSchema, ofRecord: TypeOfRecord): string {
  const { additionalProperties: values } = schema;
  if (type === "array") return listOf(schema, ofRecord);
  const isNamed = type === "object" && typeof values === "object" && refersTo(values, ofRecord);
  return isNamed ? `map of names to ${typeOf(values, ofRecord)}` : (words[type] ?? type);
}

function listOf({ items = {} }: JsonSchema, ofRecord: TypeOfRecord): string {
  const item = items.type === undefined && !refersTo(items, ofRecord) ? "" : typeOf(items, ofRecord);
  return item === "" ? "list" : `list of ${plurals[item] ?? item.replace(/^\[map\]/, "[maps]").replace(/ or module$/, " or modules")}`;
}

const refersTo = (schema: JsonSchema, ofRecord: TypeOfRecord): boolean =>
  [schema, ...(schema.anyOf ?? [])].some((form) => ofRecord(form) !== undefined);

const words: Readonly<Record<string, string>> = { string: "text", object: "map" };
const plurals: Readonly<Record<string, string>> = {
  text: "texts",
  number: "numbers",
  integer: "integers",
  map: "maps",
  status: "statuses",
  failure: "failures",
};

function range({ minimum, maximum }: JsonSchema): string {
  if (minimum === undefined) return maximum === undefined ? "" : ` up to ${maximum}`;
  return maximum === undefined ? ` from ${minimum}` : ` ${minimum} to ${maximum}`;
}

export const presetOf = (schema: JsonSchema): string => (schema.default === undefined ? "" : `\`${JSON.stringify(schema.default)}\``);

/** The words for how a marker in the value is filled (spec/language 2.8). */
export function markersOf({ context }: JsonSchema): string {
  return context === undefined ? "yes" : contexts[context];
}

const contexts: Readonly<Record<Context, string>> = {
  static: "no",
  topic: "as a topic; in a text, as one level of it",
  channel: "as a channel; in a text, as one level of it",
  file_path: "as a path; in a text, data are one level of it",
  mail: "as addresses; in a text, as a part of one address",
  mail_item: "as one address; in a text, as a part of it",
  json_file: "no",
  config: "of the configuration only",
  start: "of env, var and ap_var",
  json: "as JSON",
  json_text: "as JSON",
  sql: "as SQL literals",
  shell: "each is one word",
  url: "percent-encoded",
  header: "without line breaks",
  name: "as one name",
  path: "each is one key",
  source: "the value itself",
  expression: "each is a value",
  jq: "each is a variable",
  regex: "as literal text",
  like: "as literal text",
  css: "as literal text",
  replacement: "as literal text",
  text: "as text",
};

/** A line of a Markdown table. */
export const row = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
