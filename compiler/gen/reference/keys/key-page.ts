import { posix } from "node:path";
import type { ActionFacts, Feature, JsonSchema } from "#runtime/features/feature.ts";
import { titleOf } from "../../../2-check/blocks.ts";
import { dereference, recordName, recordOf } from "../../../2-check/schema.ts";
import type { Definitions } from "../../../2-check/shapes.ts";
import { moduleTitle } from "../../../2-check/skeleton.ts";
import { markersOf, presetOf, row, type TypeOfRecord, typeOf } from "../argument-table.ts";
import { notice } from "../feature-page.ts";
import { examplesOfSection, type KeyExamples } from "./examples.ts";
import { type KeyPage, keyPages, keysElsewhere, type Section } from "./layout.ts";

/** The records from which the pages of keys are made. */
export interface KeyWorld {
  /** The records of the language, its root as `Config`. */
  readonly records: Definitions;
  readonly actions: Readonly<Record<string, Feature & ActionFacts>>;
  /** Examples by the title of their section. */
  readonly examples: KeyExamples;
}

/** A page of keys: a table for each section, and examples. */
export function keyPage(page: KeyPage, world: KeyWorld): string {
  const [title, path, only] = page.guide;
  const guide = only === undefined ? `Guide: [${title}](${relativeTo(page, `../../${path}`)}).` : `Guide: \`${path}\` ${only}.`;
  const sections = page.sections.map((section) => sectionText(page, section, world));
  const more = page.file === "action.md" ? [sourcesText(world)] : [];
  return [`${notice}\n\n# ${page.title}\n\n${page.summary} ${guide}\n`, ...more, ...sections].join("\n");
}

function sectionText(page: KeyPage, section: Section, world: KeyWorld): string {
  const { title, record, where, lead } = section;
  const { description = "" } = recordOf(record, world.records);
  const words = [
    ...(section.keys === undefined && description !== "" ? [description] : []),
    ...(lead === undefined ? [] : [lead]),
    ...(where === undefined ? [] : [`Written in ${where}.`]),
  ];
  const examples = examplesOfSection(page.file, title, world.examples);
  return [`## ${title}\n`, ...(words.length === 0 ? [] : [`${words.join(" ")}\n`]), keyTable(page, section, world), examples]
    .filter((part) => part !== "")
    .join("\n");
}

/** The keys of a section. Without a list it has all keys of its record. */
export function keysOfSection({ record, keys }: Section, records: Definitions): readonly string[] {
  const { properties = {} } = recordOf(record, records);
  return keys ?? Object.keys(properties);
}

function keyTable(page: KeyPage, section: Section, { records, actions }: KeyWorld): string {
  const { properties = {}, required = [] } = recordOf(section.record, records);
  const ofRecord = linked(page, { records, actions });
  const lines = keysOfSection(section, records).map((key) => {
    const schema = properties[key] ?? {};
    const name = `\`${key}\`${required.includes(key) ? " (required)" : ""}`;
    const markers = markersIn(`${section.record}.${key}`, schema, records);
    const meaning = meaningOf(schema, records);
    return row([name, typeOf(schema, ofRecord), presetOf(schema), markers, inMarkdown(meaning)]);
  });
  return `${[row(["Key", "Type", "Default", "Markers", "Meaning"]), row(["---", "---", "---", "---", "---"]), ...lines].join("\n")}\n`;
}

/** The sentence about a key, and the sentence about the values to which it refers, if they are no records. */
export function meaningOf(schema: JsonSchema, records: Definitions): string {
  const targets = [schema, ...(schema.anyOf ?? [])].flatMap(({ $ref }) =>
    $ref === undefined ? [] : [recordOf(recordName($ref), records)],
  );
  const value = targets.find(({ properties, anyOf }) => properties === undefined && anyOf !== undefined);
  return [schema.description ?? dereference(schema, records).description ?? "", value?.description ?? ""].join(" ").trim();
}

/** Plain text as Markdown: markers are code, and no bracket opens a tag. */
const inMarkdown = (text: string): string =>
  text.replace(/`[^`]*`|(a\|[^|\s]+\|)|</g, (part, marker?: string) =>
    marker === undefined ? (part === "<" ? "&lt;" : part) : `\`${marker}\``,
  );

/** The sources of data, which are features with pages of their own. */
function sourcesText({ actions }: KeyWorld): string {
  const lines = Object.entries(actions).map(([name, { summary, schema, written, beside }]) => {
    const fields = written === "fields" ? Object.keys(schema.properties ?? {}).filter((key) => key !== name) : (beside ?? []);
    const others = fields.length === 0 ? "" : ` Beside it stand ${fields.map((key) => `\`${key}\``).join(", ")}.`;
    const more = written === "part" ? " It works on a source that stands beside it." : others;
    return row([`[\`${name}\`](actions/${name}.md)`, `${summary}${more}`]);
  });
  return `## Sources\n\nAn action has at most one source of data. Each has a page.\n\n${[row(["Source", "Meaning"]), row(["---", "---"]), ...lines].join("\n")}\n`;
}

/** The page with the keys of a record, relative to the folder of the reference; undefined if there is none. */
function placeOfRecord(name: string, actions: KeyWorld["actions"]): string | undefined {
  if (Object.hasOwn(keysElsewhere, name)) return keysElsewhere[name];
  const page = keyPages.find(({ sections }) => sections.some(({ record, keys }) => record === name && keys === undefined));
  const split = keyPages.find(({ sections }) => sections.some(({ record }) => record === name));
  const section = page?.sections.find(({ record, keys }) => record === name && keys === undefined);
  if (page !== undefined && section !== undefined) return `${page.file}#${anchorOf(section.title)}`;
  if (split !== undefined) return split.file;
  const action = Object.entries(actions).find(([, { schema }]) => titlesIn(schema).includes(name))?.[0];
  const own = Object.keys(actions).find((word) => titleOf(word) === name) ?? action;
  return own === undefined ? pagesOfMany[name] : `actions/${own}.md`;
}

/** The titles of the records in the schema of a feature. */
export const titlesIn = ({ title, properties = {}, items, anyOf = [], additionalProperties }: JsonSchema): readonly string[] => [
  ...(title === undefined ? [] : [title]),
  ...[...Object.values(properties), ...(items === undefined ? [] : [items]), ...anyOf].flatMap(titlesIn),
  ...(typeof additionalProperties === "object" ? titlesIn(additionalProperties) : []),
];

/** Records that are lists of features. */
const pagesOfMany: Readonly<Record<string, string>> = { Transform: "README.md#transforms" };

/** The anchor that Markdown gives to a heading. */
export const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replace(/[^\w\- ]/g, "")
    .replaceAll(" ", "-");

/** Both places are below `/`, since the name of the folder of the repository must not decide a link. */
const relativeTo = ({ file }: KeyPage, target: string): string => {
  const at = (path: string) => posix.join("/generated/reference", path);
  const path = posix.relative(at(posix.dirname(file)), at(target.replace(/#.*$/, "")));
  const anchor = /#.*$/.exec(target)?.[0] ?? "";
  return path === posix.basename(file) && anchor !== "" ? anchor : `${path}${anchor}`;
};

/** The type of a reference: a link to the keys of its record, or the forms of a value. */
function linked(page: KeyPage, { records, actions }: Pick<KeyWorld, "records" | "actions">): TypeOfRecord {
  return ({ $ref }) => {
    if ($ref === undefined) return undefined;
    const name = recordName($ref);
    const target = recordOf(name, records);
    if (target.properties === undefined) return target.title === moduleTitle ? "module" : (target.title ?? typeOf(target));
    const place = placeOfRecord(name, actions);
    return place === undefined ? "map" : `[map](${relativeTo(page, place)})`;
  };
}

/** Keys whose texts are used exactly as they are written. */
const asWritten: ReadonlySet<string> = new Set([
  ...["Config.description", "Interface.summary", "Interface.description", "Interface.notes", "Interface.tags", "Interface.examples"],
  ...["Contract.example", "Contract.schema", "Action.description", "Test.name", "Test.description", "Test.success_message"],
]);

/** Records whose values no request may choose. */
const ofConfiguration: ReadonlySet<string> = new Set(["Database", "Secret"]);

/** The words for the markers that may stand in the value. */
function markersIn(path: string, schema: JsonSchema, records: Definitions): string {
  const [record = ""] = path.split(".");
  if (asWritten.has(path)) return "stay as written";
  const own = schema.context === undefined ? joined(schema.anyOf ?? [schema], records) : markersOf(schema);
  return (ofConfiguration.has(record) || path === "Global.variables") && own === "yes" ? markersOf({ context: "config" }) : own;
}

/** The rules of all forms of a value. Forms without markers are left out beside other forms. */
function joined(forms: readonly JsonSchema[], records: Definitions): string {
  const markers = [...new Set(forms.map((form) => formMarkers(form, records)))].filter((words) => words !== "");
  return (markers.length > 1 ? markers.filter((words) => words !== "no") : markers).join("; ");
}

function formMarkers(schema: JsonSchema, records: Definitions): string {
  const { $ref, items, additionalProperties, context } = schema;
  if ($ref !== undefined) {
    if (recordOf(recordName($ref), records).title === moduleTitle) return "a module";
    return recordOf(recordName($ref), records).properties === undefined ? markersOf(recordOf(recordName($ref), records)) : "in its keys";
  }
  const inner = items ?? (typeof additionalProperties === "object" ? additionalProperties : undefined);
  if (context === undefined && inner !== undefined) return joined(inner.anyOf ?? [inner], records);
  return markersOf(schema);
}
