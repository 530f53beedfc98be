import { Ajv2020, type ErrorObject } from "ajv/dist/2020.js";
import { bare, schemaCompiler } from "#runtime/languages/schema/compiler.ts";
import { formats } from "#runtime/languages/schema/formats.ts";
import { Failure } from "#runtime/value/failure.ts";
import { asObject, isObject, type Json, own } from "#runtime/value/json.ts";
import { hasCycle } from "./schema-cycle.ts";
import { misjudged, type SchemaFault, schemasIn } from "./schema-limits.ts";

/** Lists everything that makes a schema invalid. */
export function schemaFaults(schema: Json): readonly SchemaFault[] {
  if (!isObject(schema) && typeof schema !== "boolean") return [{ path: [], reason: "a schema is an object, true or false" }];
  const judge = metaSchema();
  if (judge.validateSchema(bare(schema)) !== true) return distinct((judge.errors ?? []).map(faultOf));
  if (hasCycle(bare(schema))) return [cycle];
  const beyond = misjudged(bare(schema));
  if (beyond.length > 0) return beyond;
  try {
    unprinted(schema).compile(bare(schema));
    return holdsAsync(schema) ? [{ path: ["$async"], reason: "$async has no meaning here" }] : [];
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    // The validator follows references recursively, so a deep schema exhausts the stack.
    if (error instanceof RangeError) return besideId(schema) ?? [tooDeep];
    const [, reference] = /^can't resolve reference (\S+) from id /.exec(error.message) ?? [];
    if (reference !== undefined) return unresolved(schema, reference);
    return [{ path: patternAt(schema, error) ?? [], reason: reasonOf(error) }];
  }
}

const reasonOf = (error: Error): string =>
  error instanceof Failure ? error.message : error.message.replace(/ from id .*| in schema at path.*/s, "");

/** The place of the pattern that cannot be compiled for the same reason as the schema; undefined when no pattern is the cause. */
function patternAt(schema: Json, error: Error): readonly string[] | undefined {
  const patterns = schemasIn(bare(schema), []).flatMap(({ part, path }) => [
    { path: [...path, "pattern"], pattern: own(part, "pattern") },
    ...Object.keys(asObject(own(part, "patternProperties"))).map((pattern) => ({ path: [...path, "patternProperties", pattern], pattern })),
  ]);
  return patterns.find(({ pattern }) => typeof pattern === "string" && isRefused(pattern, reasonOf(error)))?.path;
}

/** Each reference with this text, since it leads to no part of the schema. */
function unresolved(schema: Json, reference: string): readonly SchemaFault[] {
  const reason = `$ref '${reference}' leads to no part of this schema; a part is named as #/$defs/Order`;
  const parts = schemasIn(bare(schema), []).filter(({ part }) => own(part, "$ref") === reference);
  return parts.length === 0 ? [{ path: [], reason }] : parts.map(({ path }) => ({ path: [...path, "$ref"], reason }));
}

/** The `$ref` of a part that also has an `$id`: ajv follows it in circles. */
function besideId(schema: Json): readonly SchemaFault[] | undefined {
  const part = schemasIn(bare(schema), []).find(({ part, path }) => path.length > 0 && "$id" in part && "$ref" in part);
  if (part === undefined) return undefined;
  return [{ path: [...part.path, "$ref"], reason: "$ref beside $id", remedy: "write allOf: [{ $ref: … }] beside $id" }];
}

function isRefused(pattern: string, reason: string): boolean {
  try {
    unprinted({ pattern }).compile({ pattern });
    return false;
  } catch (error) {
    return error instanceof Error && reasonOf(error) === reason;
  }
}

const cycle: SchemaFault = { path: [], reason: "a $ref leads back to itself" };

const tooDeep: SchemaFault = { path: [], reason: "it could not be compiled, because it or its references are nested too deeply" };

let judge: Ajv2020 | undefined;

/** ajv with the meta-schema. One instance serves all schemas of a process. */
function metaSchema(): Ajv2020 {
  judge ??= new Ajv2020({ allErrors: true, strict: false, ownProperties: true, formats, logger: false });
  return judge;
}

/** Finds the parts of a schema that would check nothing: misspelt keywords and unknown formats. */
export function uncheckedParts(schema: Json): readonly SchemaFault[] {
  const reasons = new Set<string>();
  unprinted(schema, (reason) => reasons.add(reason.replace(/^strict mode: | ignored in schema at path ".*"$/g, ""))).compile(bare(schema));
  return [...reasons].flatMap((reason) => {
    const places = placesOf(reason, schema);
    return places.length === 0 ? [{ path: [], reason }] : places.map((path) => ({ path, reason }));
  });
}

/** The places of the keyword or of the format that a reason names. */
function placesOf(reason: string, schema: Json): readonly (readonly string[])[] {
  const [, kind, word = ""] = /^unknown (keyword:|format) "(.*)"$/.exec(reason) ?? [];
  if (kind === undefined) return [];
  const parts = schemasIn(bare(schema), []);
  return kind === "format"
    ? parts.flatMap(({ part, path }) => (own(part, "format") === word ? [[...path, "format"]] : []))
    : parts.flatMap(({ part, path }) => (own(part, word) === undefined ? [] : [[...path, word]]));
}

/** An ajv without optimization: its compiled code is never run, and for a large schema the optimization would take most of the time. */
const unprinted = (schema: Json, warn: (reason: string) => void = () => undefined): Ajv2020 =>
  schemaCompiler(schema, { warn, optimize: 0, isChecked: true });

const faultOf = ({ instancePath, message = "is wrong", params }: ErrorObject): SchemaFault => {
  const values: unknown = params.allowedValues;
  return {
    path: instancePath.split("/").slice(1).map(unescaped),
    reason: Array.isArray(values) ? `must be one of ${values.join(", ")}` : message,
  };
};

/** One fault for each place. The meta-schema reports one mistake several times, and the first message fits best. */
function distinct(faults: readonly SchemaFault[]): readonly SchemaFault[] {
  const places = new Map<string, SchemaFault>();
  for (const fault of faults) if (!places.has(fault.path.join("/"))) places.set(fault.path.join("/"), fault);
  return [...places.values()].filter(({ path }) => path.length > 0 || places.size === 1);
}

const unescaped = (step: string): string => step.replaceAll("~1", "/").replaceAll("~0", "~");

const holdsAsync = (schema: Json): boolean => isObject(schema) && Object.hasOwn(schema, "$async");
