import type { ErrorObject } from "ajv/dist/2020.js";
import type { JsonSchema } from "#runtime/features/feature.ts";
import { durationProblem, durationUnits } from "#runtime/value/duration.ts";
import { entriesOf, isNull, type Node, scalarText } from "../1-read/document.ts";
import { databases } from "../diagnostics/codes/databases.ts";
import { shape } from "../diagnostics/codes/file.ts";
import { flow } from "../diagnostics/codes/flow.ts";
import { marker } from "../diagnostics/codes/marker.ts";
import { tests } from "../diagnostics/codes/tests.ts";
import { transforms } from "../diagnostics/codes/transforms.ts";
import type { Finding, Report } from "../diagnostics/diagnostic.ts";
import { nearest } from "../diagnostics/nearest.ts";
import { valueFor } from "../other-tools/values.ts";
import { expectation, typeOfNode, wordsOf } from "./forms.ts";
import { type Guess, guess } from "./guess.ts";
import { type ErrorPlace, entryOf, escaped, placeOf } from "./place.ts";
import { remedy } from "./remedy.ts";
import { keysOffered, type Language } from "./schema.ts";
import type { Definitions } from "./shapes.ts";
import { holdsMarker } from "./validator.ts";

/** The parts of a tree that are removed or replaced because of mistakes, before later phases see the tree. */
export interface Corrections {
  /** JSON Pointers of the values that later phases must not see. */
  readonly dropped: ReadonlySet<string>;
  /** The key that was probably meant by each unknown key, which is dropped. */
  readonly meant: ReadonlyMap<string, string>;
}

/** The surroundings in which an error is explained. */
interface Explaining {
  readonly place: ErrorPlace;
  readonly language: Language;
  readonly report: Report;
  /** The key that was probably meant by each unknown key, to which more are added. */
  readonly meantBy: Map<string, string>;
}

/** Turns what ajv found into diagnostics at the places of spec/language 8 "Positions": one for each mistake. */
export function explain(errors: readonly ErrorObject[], root: Node, language: Language, report: Report): Corrections {
  const dropped = new Set<string>();
  const meantBy = new Map<string, string>();
  for (const [pointer, group] of Map.groupBy(errors, ({ instancePath }) => instancePath)) {
    const place = placeOf(pointer, root, language);
    if (group.some((error) => offeredBy(error).length > 0)) dropped.add(place.pointer);
    for (const error of leading(group)) for (const path of explainOne(error, { place, language, report, meantBy })) dropped.add(path);
  }
  return { dropped, meant: meantBy };
}

/**
 * Keeps the first of several errors at one value, since the others follow from it. An unknown or missing key is always a mistake of its
 * own.
 */
function leading(errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const fixed = errors.find(({ keyword }) => keyword === "context");
  if (fixed !== undefined) return [fixed];
  const choice = errors.find((error) => offeredBy(error).length > 0);
  if (choice !== undefined) {
    // An unknown key was meant for one of the keys that are offered.
    const unknown = errors.filter(({ keyword }) => keyword === "additionalProperties");
    return unknown.length > 0 ? unknown : [choice];
  }
  const real = errors.filter(({ keyword }) => keyword !== "if");
  const ofKeys = real.filter(({ keyword }) => keyword === "additionalProperties" || keyword === "required");
  const rest = real.filter((error) => !ofKeys.includes(error));
  // When a value fails a union and one of its forms, the error of the union is shown, because it lists every alternative.
  // A value of the wrong type also fails what its record says about keys.
  const ofValue = rest.find((error) => unionOf(error) !== undefined) ?? rest.find(({ keyword }) => keyword !== "not") ?? rest[0];
  return ofValue === undefined ? ofKeys : [ofValue, ...ofKeys];
}

/** The keys of which a record needs at least one: `anyOf` with schemas that only require a key each. */
const offeredBy = ({ keyword, schema }: ErrorObject): readonly string[] =>
  keyword === "anyOf" && Array.isArray(schema) ? keysOffered({ allOf: [{ anyOf: schema }] }) : [];

/** Reports one error; the result lists the values that must be dropped for it. */
function explainOne(error: ErrorObject, explaining: Explaining): readonly string[] {
  const { place, language, report } = explaining;
  const schema = schemaOf(error);
  const title = schema.title ?? place.key;
  switch (error.keyword) {
    case "context":
      report(marker.mustBeStatic(place.key), place.node.span);
      return [place.pointer];
    case "additionalProperties":
      return unknownKey(String(error.params.additionalProperty), schema, explaining);
    case "required":
      // The required key is there, but misspelt, or none of the keys is one of the record; that was reported as an unknown key.
      if (isMisspelt(String(error.params.missingProperty), schema, place, language) || isStrange(schema, place)) return [place.pointer];
      report(shape.missingKey(String(error.params.missingProperty), title), place.node.span);
      return [place.pointer];
    case "anyOf":
      if (offeredBy(error).length === 0) break;
      report(shape.missingKey(offeredBy(error).join("' or '"), title), place.node.span);
      return [place.pointer];
    case "not":
      exclusive(error, place, report);
      return [place.pointer];
  }
  if (error.keyword === "type" && isStaticList(schema) && holdsMarker(scalarText(place.node) ?? "")) {
    report(marker.mustBeStatic(place.key), place.node.span);
    return [place.pointer];
  }
  if (isNull(place.node) && place.parent.properties !== undefined && place.parent.title !== "Transform") return nullValue(place, report);
  if (title === "Transform" && /Properties$/.test(error.keyword)) return notOneTransform(schema, place, report);
  report(badValue(error, schema, place, language), place.node.span);
  return [place.pointer];
}

/** True for a list whose items take no markers: a marker cannot stand for the whole list either. */
const isStaticList = ({ type, items }: JsonSchema): boolean => type === "array" && items?.context === "static";

/** True when an unknown key of the node is nearly the missing one, or when the remedy for an unknown key names the missing one. */
function isMisspelt(missing: string, schema: JsonSchema, place: ErrorPlace, language: Language): boolean {
  return unknownKeys(schema, place).some(
    (key) => nearest(key, [missing]) !== undefined || guessAt(key, schema, place, language).named?.includes(missing) === true,
  );
}

/** The key that was probably meant by an unknown one. */
function guessAt(key: string, schema: JsonSchema, place: ErrorPlace, { definitions }: Language): Guess {
  // The validator's copy of the record has lost its references.
  const record = definitionOf(schema, place, definitions);
  const meant = guess({ key, title: record.title ?? place.key, schema: record, node: place.node, around: place.around }, definitions);
  const { required = [] } = record;
  if (meant.near !== undefined || meant.hint !== undefined || required.length === 0 || !isStrange(record, place)) return meant;
  return { hint: `write it in '${required.join("', '")}'` };
}

/** True when no key of the node is one of the record: the record was taken for another one, which has few keys. */
const isStrange = ({ properties = {} }: JsonSchema, { node }: ErrorPlace): boolean => {
  const keys = entriesOf(node).slice(0, 21);
  const own = keys.filter(({ key }) => !key.startsWith("x-"));
  return own.length > 0 && keys.length <= 20 && own.every(({ key }) => !Object.hasOwn(properties, key));
};

function definitionOf(schema: JsonSchema, place: ErrorPlace, definitions: Definitions): JsonSchema {
  const title = schema.title ?? place.key;
  return Object.hasOwn(definitions, title) ? (definitions[title] ?? schema) : schema;
}

const unknownKeys = ({ properties = {} }: JsonSchema, { node }: ErrorPlace): readonly string[] =>
  entriesOf(node).flatMap(({ key }) => (Object.hasOwn(properties, key) || key.startsWith("x-") ? [] : [key]));

function unknownKey(key: string, schema: JsonSchema, { place, language, report, meantBy }: Explaining): readonly string[] {
  const entry = entryOf(place.node, key);
  const title = schema.title ?? place.key;
  const at = entry?.keySpan ?? place.node.span;
  const path = `${place.pointer}/${escaped(key)}`;
  const { near, hint, named } = guessAt(key, schema, place, language);
  const meant = near ?? named?.find((one) => entryOf(place.node, one) === undefined);
  if (meant !== undefined) meantBy.set(path, meant);
  // Keys with the same remedy are one mistake: a schema whose keys stand one level too high.
  const alike =
    hint === undefined ? [key] : unknownKeys(schema, place).filter((one) => guessAt(one, schema, place, language).hint === hint);
  if (alike[0] !== key) return [path];
  const remedy = alike.length === 1 ? hint : `${hint}; the same holds for '${alike.slice(1).join("', '")}'`;
  if (holdsMarker(key)) report(marker.inKey(title), at);
  else if (title === "Test") report(tests.unknownMatcher(key, near, remedy), at);
  else if (title === "Transform") report(transforms.unknown(key, near, remedy), at);
  else report(shape.unknownKey(key, title, near, remedy), at);
  return [path];
}

/** A null is an absent key (spec/language 1.3), so it is a mistake only when the key, or one of several keys, is required. */
function nullValue({ key, parent, parentKey, parentNode, parentPointer }: ErrorPlace, report: Report): readonly string[] {
  const missing = parent.required?.includes(key) ? key : missingOf(keysOffered(parent), key, parentNode);
  if (missing === undefined) return [];
  report(shape.missingKey(missing, parent.title ?? parentKey), parentNode.span);
  return [parentPointer];
}

/** The keys of which one is needed, when all that are written are null and `key` is the first of them. */
function missingOf(offered: readonly string[], key: string, node: Node): string | undefined {
  const entries = entriesOf(node).filter((entry) => offered.includes(entry.key));
  return entries[0]?.key === key && entries.every(({ value }) => isNull(value)) ? offered.join("' or '") : undefined;
}

function notOneTransform(schema: JsonSchema, place: ErrorPlace, report: Report): readonly string[] {
  const keys = (place.node.kind === "map" ? place.node.entries : []).filter(({ key }) => !key.startsWith("x-"));
  if (keys.length === 1) return [];
  // An unknown name is already reported, and explains why there is a second key.
  const areTransforms = keys.every(({ key }) => Object.hasOwn(schema.properties ?? {}, key));
  if (areTransforms) report(transforms.notOneKey(), keys[1]?.keySpan ?? place.node.span);
  return [place.pointer];
}

function exclusive({ schema }: ErrorObject, place: ErrorPlace, report: Report): void {
  // No schema writes anything but `not: {required: [a, b]}`.
  const { required = [] } = schema as JsonSchema;
  const entries = required.flatMap((key) => entryOf(place.node, key) ?? []).sort((a, b) => a.keySpan.start - b.keySpan.start);
  const [first, second] = entries;
  report(shape.exclude(first?.key ?? required.join(), second?.key ?? ""), second?.keySpan ?? place.node.span);
}

const bounds: ReadonlySet<string> = new Set(
  ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"].concat(
    ["Length", "Items", "Properties"].flatMap((what) => [`min${what}`, `max${what}`]),
  ),
);

function badValue(error: ErrorObject, schema: JsonSchema, place: ErrorPlace, { definitions }: Language): Finding {
  const { keyword } = error;
  const { node, name, key, parent } = place;
  const text = scalarText(node);
  if (isStatusMatcher(place) && text !== undefined) return flow.statusMatcher(text);
  if (key === "expect_status" && keyword === "minItems") return flow.statusMatcher("[]");
  if (bounds.has(keyword)) return outside(schema, place);
  const whole = unionOf(error) ?? schema;
  const words = wordsOf(whole, definitions);
  const near = text === undefined ? undefined : (nearest(text, words) ?? valueFor(key, text, words));
  if (keyword === "enum" && text !== undefined) {
    if (key === "driver" && (parent.title === "Database" || parent.title === "Action"))
      return databases.unknownDriver(text, expectation(whole, definitions), near);
    if (key === "operation" && parent.title === "DocumentOperation") return databases.unknownOperation(text, near);
    return shape.wrongType(name, expectation(whole, definitions), undefined, { nearest: near });
  }
  if (keyword === "format" && schema.format === "duration" && text !== undefined) return badDuration(name, text);
  const expected = expectation(whole, definitions);
  return shape.wrongType(name, expected, typeOfNode(node), remedy(expected, place, whole, definitions));
}

/** Says what is wrong with the text; a unit that is nearly one gets a suggestion. */
function badDuration(name: string, text: string): Finding {
  const units = /^\d/.test(text) ? [...text.matchAll(/[A-Za-z]+/g)] : [];
  const near = units.map(([unit]) => (durationUnits.includes(unit) ? undefined : nearest(unit, durationUnits)));
  const problem = durationProblem(text);
  const unit = near.find((each) => each !== undefined);
  return shape.wrongType(name, "duration", "string", { problem: `${problem}${unit === undefined ? "" : ` (did you mean '${unit}'?)`}` });
}

function outside(schema: JsonSchema, place: ErrorPlace): Finding {
  const { node, name, key } = place;
  const size = node.kind === "map" ? node.entries.length : node.kind === "list" ? node.items.length : String(node.value ?? "").length;
  const value = node.kind === "scalar" && typeof node.value === "number" ? node.value : size;
  if (key.startsWith("http_code") && typeof value === "number") return flow.statusCode(value);
  const low = schema.minimum ?? schema.exclusiveMinimum ?? schema.minLength ?? schema.minItems ?? schema.minProperties ?? "";
  const high = schema.maximum ?? schema.exclusiveMaximum ?? schema.maxLength ?? schema.maxItems ?? schema.maxProperties ?? "";
  const ofText = "minLength" in schema || "maxLength" in schema ? " characters" : "";
  const finding = shape.outside(name, value, low, high, { list: " items", map: " keys", scalar: ofText }[node.kind]);
  return place.inTransform ? transforms.option(finding.message) : finding;
}

const isStatusMatcher = ({ key, parentPointer }: ErrorPlace): boolean =>
  key === "expect_status" || (/\/retry$|\/retry\/(?:on|except)$/.test(parentPointer) && (key === "on" || key === "except"));

/** The schema of an error. It is one of ours, because the validator was made from our schemas. */
function schemaOf({ parentSchema }: ErrorObject): JsonSchema {
  return (parentSchema ?? {}) as JsonSchema;
}

/** The forms there were to choose from, as the validator noted them. */
function unionOf({ parentSchema }: ErrorObject): JsonSchema | undefined {
  return (parentSchema as { readonly union?: JsonSchema } | undefined)?.union;
}
