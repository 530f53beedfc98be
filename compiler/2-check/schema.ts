import type { JsonSchema } from "#runtime/features/feature.ts";
import type { Json, JsonObject } from "#runtime/value/json.ts";
import { InternalError } from "../diagnostics/diagnostic.ts";
import { legacyKeys } from "./legacy.ts";
import { type Slot, slotNames } from "./modules.ts";
import { publicPart } from "./public-part.ts";
import type { Definitions } from "./shapes.ts";
import { configRecords, moduleTitle, root } from "./skeleton.ts";
import { type Actions, actionRecords, credentialRecords } from "./skeleton-actions.ts";
import { networkRecords } from "./skeleton-network.ts";
import { type Stores, storeRecords } from "./skeleton-stores.ts";
import { type Features, testRecords } from "./skeleton-tests.ts";
import { transformRecords } from "./skeleton-transforms.ts";
import { type Triggers, triggerRecords } from "./skeleton-triggers.ts";

/** The records of the features, by their names in YAML, from which the schema is assembled. */
export interface Specs extends Stores {
  readonly transforms: Features;
  readonly matchers: Features;
  readonly actions: Actions;
  readonly triggers: Triggers;
}

/** The language as one schema in our own words: the source of the published schema, of the validator and of every explanation. */
export interface Language {
  readonly root: JsonSchema;
  readonly definitions: Definitions;
}

export function language(specs: Specs): Language {
  const ofTriggers = triggerRecords(specs.triggers);
  const ofCredentials = credentialRecords(specs.actions);
  const definitions = {
    ...configRecords(ofTriggers.keys, ofCredentials.keys),
    ...ofCredentials.records,
    ...ofTriggers.records,
    ...networkRecords,
    ...storeRecords(specs),
    ...actionRecords(specs.actions, specs.drivers),
    ...testRecords(specs.matchers),
    ...transformRecords(specs.transforms),
  };
  for (const [name, schema] of Object.entries({ Config: root, ...definitions })) checkReferences(name, schema, definitions);
  return { root, definitions };
}

/** Fails for a reference to a missing record, which would accept every value. */
export function checkReferences(place: string, schema: JsonSchema, definitions: Definitions): void {
  const { $ref, anyOf = [], allOf = [], properties = {}, items, additionalProperties, not } = schema;
  if ($ref !== undefined && !Object.hasOwn(definitions, recordName($ref)))
    throw new InternalError(`${place} refers to ${$ref}, and the language has no such record`);
  for (const [key, inner] of Object.entries(properties)) checkReferences(`${place}.${key}`, inner, definitions);
  const others = [items, additionalProperties, not].filter((inner) => typeof inner === "object");
  for (const inner of [...anyOf, ...allOf, ...others]) checkReferences(place, inner, definitions);
}

/** The record that a reference names. */
export const recordName = ($ref: string): string => $ref.replace("#/$defs/", "");

/** The begin of a marker: `a|` and a letter, where a marker can start (spec/language 2.2). */
export const markerPattern = "(?:^|[^A-Za-z0-9_\\\\])a\\|[A-Za-z_]";

/**
 * True when a scalar may hold markers: `open` is not decided yet, a schema around has `forbidden` it, or the union around has already
 * `passed` it.
 */
export type Markers = "open" | "forbidden" | "passed";

/** The published JSON Schema (draft 2020-12): editors complete and check with it. It has the legacy names, marked as deprecated. */
export const assembleSchema = (specs: Specs): JsonObject => publishedSchema(language(specs));

/** A language as a JSON Schema that needs no other document. */
export function publishedSchema({ root, definitions }: Language): JsonObject {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    ...publish(root, "open"),
    $defs: {
      ...mapValues(definitions, (schema) => publish(schema, "open")),
      marker: {
        title: "Marker",
        description: "A value that is filled in at run time: a|…|.",
        type: "string",
        pattern: markerPattern,
        patternErrorMessage: "A marker is written a|…|, such as a|body::name|.",
      },
    },
  };
}

/**
 * The JSON Schema of files below `modules/`: a value with its type, or the bare value of any slot. `definitions` is where the records
 * stand: in this document (`""`), or in the published schema of configurations beside it (`"schema.json"`).
 */
export function moduleSchema(definitions: string): JsonObject {
  const slot = (name: Slot): JsonObject => ({ $ref: `${definitions}#/$defs/${name}` });
  const typed = (name: Slot): JsonObject => ({
    if: { required: ["type", "spec"], properties: { type: { const: name } } },
    // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
    then: { properties: { spec: slot(name) } },
  });
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Module",
    description: "A value that configurations share: `type` and `spec`, or the value alone.",
    type: "object",
    if: { required: ["type", "spec"] },
    // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
    then: {
      properties: {
        type: { description: "The place that `spec` can stand in.", enum: [...slotNames] },
        spec: { description: "The value itself." },
      },
      additionalProperties: false,
      allOf: slotNames.map(typed),
    },
    else: { anyOf: slotNames.map(slot) },
  };
}

/** One schema without our private words; a scalar that markers may fill also accepts a marker. */
function publish(schema: JsonSchema, around: Markers): JsonObject {
  const { context } = schema;
  const { format, description, anyOf, properties, items, additionalProperties, not, ...rest } = publicPart(schema);
  const markers = context === "static" ? "forbidden" : around;
  const inner = (child: JsonSchema): JsonObject => publish(child, markers === "forbidden" ? "forbidden" : "open");
  const form: JsonObject = {
    ...plainWords(rest),
    // A name without a value is a parameter without rules.
    ...(schema.title === "Param" ? { type: ["object", "null"] } : {}),
    ...(format === undefined
      ? {}
      : format === "duration"
        ? { pattern: durationPattern, patternErrorMessage: durationMessage }
        : { format }),
    ...(items === undefined ? {} : { items: inner(items) }),
    ...(not === undefined ? {} : { not: inner(not) }),
    ...(additionalProperties === undefined ? {} : { additionalProperties: additional(additionalProperties, inner) }),
    ...(properties === undefined ? {} : recordForm(schema.title ?? "", mapValues(properties, inner), additionalProperties)),
  };
  const described: JsonObject = description === undefined ? {} : { description };
  if (anyOf !== undefined) {
    const branches = anyOf.map((branch) => publish(branch, markers === "open" ? "passed" : markers));
    const open = markers === "open" && (context === "start" || anyOf.some(needsMarker));
    return { ...described, ...form, anyOf: open ? [...branches, markerRef] : branches };
  }
  return markers === "open" && (needsMarker(schema) || isStartedList(schema))
    ? { ...described, anyOf: [form, markerRef] }
    : { ...described, ...form };
}

/** A marker may stand in place of the whole list; the commas of the text that it gives separate the items. */
export const isStartedList = ({ context, type }: JsonSchema): boolean => context === "start" && type === "array";

const markerRef = { $ref: "#/$defs/marker" };

function additional(schema: JsonSchema | boolean, inner: (schema: JsonSchema) => JsonObject): Json {
  return typeof schema === "boolean" ? schema : inner(schema);
}

/** The keys of a record are fixed: other keys are refused, except notes (`x-…`) and older names. */
function recordForm(title: string, properties: JsonObject, additionalProperties: JsonSchema["additionalProperties"]): JsonObject {
  const legacy = Object.entries(legacyKeys[title] ?? {}).map(([key, modern]) => [
    key,
    { deprecated: true, ...notOffered, description: modern },
  ]);
  return {
    properties: { ...properties, ...Object.fromEntries(legacy) },
    patternProperties: { "^x-": true },
    ...(additionalProperties === undefined ? { additionalProperties: false } : {}),
  };
}

/** Words that the published schema takes over unchanged. They are plain JSON, by the type `JsonSchema`. */
const plainWords = (words: object): JsonObject => structuredClone(words) as JsonObject;

function mapValues(schemas: Definitions, change: (schema: JsonSchema) => JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, change(schema)]));
}

/** A word of editors: a key that is read, or reported, but not completed. */
const notOffered = { doNotSuggest: true };

const durationMessage = "A duration is an integer and a unit, such as 30s, 5min or 1h 30min; a number counts milliseconds.";

/** One or more pairs of an integer and a unit. */
const durationUnits = "ns|nsec|us|usec|ms|msec|millis|s|sec|seconds?|m|min|minutes?|h|hr|hours?|d|days?|w|weeks?|M|months?|y|years?";
const durationPattern = `${markerPattern}|^\\s*(?:[0-9]{1,15}\\s*(?:${durationUnits})\\s*)+$`;

/** True for a scalar whose type is not only text: a marker there stands for a value of the type. */
export function needsMarker(schema: JsonSchema): boolean {
  if (schema.anyOf !== undefined) return schema.anyOf.some(needsMarker);
  if (schema.enum !== undefined || schema.const !== undefined) return true;
  if (schema.type === undefined || schema.title === moduleTitle) return false;
  const types = typesIn(schema);
  if (types.includes("object") || types.includes("array")) return false;
  return !types.includes("string") || schema.pattern !== undefined || schema.format !== undefined;
}

const typesIn = ({ type }: JsonSchema): readonly string[] => (type === undefined ? [] : typeof type === "string" ? [type] : type);

/** JSON types that a schema admits, through references and forms; empty when it admits all. */
export function typesOf(schema: JsonSchema, definitions: Definitions): readonly string[] {
  const target = dereference(schema, definitions);
  if (target.anyOf !== undefined) {
    const branches = target.anyOf.map((branch) => typesOf(branch, definitions));
    return branches.some((types) => types.length === 0) ? [] : [...new Set(branches.flat())];
  }
  return typesIn(target);
}

/** The keys of which a record needs at least one: an `anyOf` of schemas that only require a key each, beside other rules. */
export const keysOffered = ({ allOf = [] }: JsonSchema): readonly string[] =>
  allOf
    .flatMap(({ anyOf = [] }) => (anyOf.every(({ required }) => required !== undefined) ? anyOf : []))
    .flatMap(({ required = [] }) => required);

/** The record of that name; there is one behind each reference. */
export function recordOf(name: string, definitions: Definitions): JsonSchema {
  const definition = Object.hasOwn(definitions, name) ? definitions[name] : undefined;
  if (definition === undefined) throw new InternalError(`the language has no record ${name}`);
  return definition;
}

/** The record that a reference names, with the words beside the reference on top. */
export function dereference(schema: JsonSchema, definitions: Definitions): JsonSchema {
  if (schema.$ref === undefined) return schema;
  const { $ref, ...beside } = schema;
  return { ...dereference(recordOf(recordName($ref), definitions), definitions), ...beside };
}

/**
 * The keys that tell this form of a union from the others, where several forms are records. Undefined when the type alone tells it; a map
 * without such a key has the last record's form.
 */
export function tellingKeys(branch: JsonSchema, branches: readonly JsonSchema[], definitions: Definitions): readonly string[] | undefined {
  const records = branches.filter((each) => dereference(each, definitions).properties !== undefined);
  const isTold = records.includes(branch) && branch !== records.at(-1);
  return isTold ? Object.keys(dereference(branch, definitions).properties ?? {}) : undefined;
}
