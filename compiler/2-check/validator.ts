import { Ajv2020, type ErrorObject, type Options, type ValidateFunction } from "ajv/dist/2020.js";
import type { DataValidationCxt } from "ajv/dist/types/index.js";
import type { JsonSchema } from "#runtime/features/feature.ts";
import { duration } from "#runtime/value/duration.ts";
import type { Json } from "#runtime/value/json.ts";
import { publicPart } from "./public-part.ts";
import {
  dereference,
  isStartedList,
  keysOffered,
  type Language,
  type Markers,
  markerPattern,
  needsMarker,
  recordName,
  recordOf,
  tellingKeys,
  typesOf,
} from "./schema.ts";
import type { Definitions } from "./shapes.ts";
import { moduleTitle } from "./skeleton.ts";

/** Everything that is wrong with a value, as ajv sees it; empty when nothing is. */
export type Validate = (value: Json) => readonly ErrorObject[];

/** The errors of one validation so far; ajv hands it to our keywords as `this`. */
interface Gathering {
  readonly errors: ErrorObject[];
}

/**
 * Compiles the language for ajv. The form of a union is chosen by the type of the value (`if`) instead of trying all forms (`anyOf`), so
 * that every error concerns the form that was meant. A record is compiled when its first value is checked: a configuration uses a fraction
 * of the language, and compiling all of it would take longer than compiling most configurations.
 */
export function validator({ root, definitions }: Language): Validate {
  const ajv = new Ajv2020(options);
  const compiled = new Map<string, ValidateFunction>();
  const compile = (key: string, schema: () => Form): ValidateFunction => {
    const validate = compiled.get(key);
    if (validate !== undefined) return validate;
    const compiledForm = ajv.compile(schema());
    compiled.set(key, compiledForm);
    return compiledForm;
  };
  const record = (name: string): ValidateFunction => compile(name, () => form(recordOf(name, definitions), definitions, "open"));
  const scalar = (schema: Form): ValidateFunction => compile(JSON.stringify(schema), () => schema);

  ajv.addFormat("duration", { type: "string", validate: (text: string) => duration(text) !== undefined });
  ajv.addKeyword({
    keyword: "context",
    type: "string",
    errors: false,
    validate: (word: string, text: string) => word !== "static" || !holdsMarker(text),
  });
  ajv.addKeyword({
    keyword: "record",
    validate(this: Gathering, name: string, value: Json, _: unknown, at?: DataValidationCxt) {
      return gather(this, record(name), value, at);
    },
  });
  ajv.addKeyword({
    keyword: "unlessMarker",
    validate(this: Gathering, schema: Form, value: Json, _: unknown, at?: DataValidationCxt) {
      return (typeof value === "string" && holdsMarker(value)) || gather(this, scalar(schema), value, at);
    },
  });
  const check = ajv.compile(form(root, definitions, "open"));
  return (value) => {
    const gathering: Gathering = { errors: [] };
    gather(gathering, check, value);
    return gathering.errors;
  };
}

const options: Options = {
  allErrors: true,
  verbose: true,
  passContext: true,
  strict: false,
  logger: false,
  meta: false,
  validateSchema: false,
  messages: false,
  // The code runs too briefly to earn back the cost of optimizing it.
  code: { optimize: false },
};

/** Collects the errors apart from the caller's errors: there, ajv would replace the places of our errors by the place of the caller. */
function gather(gathering: Gathering, check: ValidateFunction, value: Json, at?: DataValidationCxt): true {
  if (!check.call(gathering, value, at)) for (const error of check.errors ?? []) gathering.errors.push(error);
  return true;
}

const marker = new RegExp(markerPattern);

export const holdsMarker = (text: string): boolean => marker.test(text);

type Form = Readonly<Record<string, unknown>>;

/** One schema of the language in words of ajv. */
function form(schema: JsonSchema, definitions: Definitions, around: Markers): Form {
  const { context } = schema;
  const { description: _, $ref, anyOf, properties, items, additionalProperties, not, ...rest } = publicPart(schema);
  const markers = context === "static" ? "forbidden" : around;
  const inner = (child: JsonSchema): Form => form(child, definitions, markers === "forbidden" ? "forbidden" : "open");
  const own: Form = {
    ...rest,
    ...($ref === undefined ? {} : { record: recordName($ref) }),
    ...(not === undefined ? {} : { not: inner(not) }),
    ...(items === undefined ? {} : { items: inner(items) }),
    ...(typeof additionalProperties === "object" ? { additionalProperties: inner(additionalProperties) } : {}),
    ...(properties === undefined ? {} : recordForm(schema, properties, definitions, inner)),
  };
  if (anyOf !== undefined) return union(schema, anyOf, own, definitions, markers);
  if (markers === "forbidden") return $ref === undefined ? { ...own, context: "static" } : own;
  return markers === "open" && (needsMarker(schema) || isStartedList(schema)) ? unlessMarker(own) : own;
}

function recordForm(record: JsonSchema, properties: Definitions, definitions: Definitions, inner: (schema: JsonSchema) => Form): Form {
  const { additionalProperties: additional } = record;
  const needed = new Set([...(record.required ?? []), ...keysOffered(record)]);
  const member = (key: string, schema: JsonSchema): Form =>
    // A null is an absent key, also where any value is allowed.
    needed.has(key) && typesOf(schema, definitions).length === 0 ? { ...inner(schema), type: anyButNull } : inner(schema);
  return {
    properties: Object.fromEntries(Object.entries(properties).map(([key, schema]) => [key, member(key, schema)])),
    patternProperties: { "^x-": true },
    ...(typeof additional === "object" ? {} : { additionalProperties: additional ?? false }),
  };
}

const anyButNull = ["boolean", "number", "string", "array", "object"];

/** A text with a marker is not checked: its value is known only in a run. */
const unlessMarker = (typed: Form): Form => ({ unlessMarker: typed });

/** The first form is the usual one: it applies when no other form claims the value. `union` tells the explanation about all forms. */
function union(schema: JsonSchema, branches: readonly JsonSchema[], own: Form, definitions: Definitions, markers: Markers): Form {
  const [usual = {}, ...others] = branches;
  const usualTypes = typesOf(usual, definitions);
  const branchMarkers = markers === "open" ? "passed" : markers;
  const inner = (branch: JsonSchema): Form => ({ ...form(branch, definitions, branchMarkers), union: schema });
  const alternatives = others.reduceRight<Form>(
    // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
    (rest, branch) => ({ if: claim(branch, branches, usualTypes, definitions), then: inner(branch), else: rest }),
    inner(usual),
  );
  const types = typesOf(schema, definitions);
  const whole = { ...own, ...(types.length === 0 ? {} : { type: types, union: schema }), allOf: [alternatives] };
  return markers === "open" && (schema.context === "start" || branches.some(needsMarker)) ? unlessMarker(whole) : whole;
}

/**
 * The condition under which a value has this form. The value has the type of the form, and a key that no other form of a record has. Where
 * the type does not tell the form from the usual one, or the form is a module, the value also has its words or its pattern.
 */
function claim(branch: JsonSchema, branches: readonly JsonSchema[], usualTypes: readonly string[], definitions: Definitions): Form {
  const target = dereference(branch, definitions);
  const types = typesOf(branch, definitions);
  const keys = tellingKeys(branch, branches, definitions);
  const shared = target.title === moduleTitle || types.some((type) => usualTypes.includes(type));
  return {
    ...(types.length === 0 ? {} : { type: types }),
    ...(keys === undefined ? {} : { anyOf: keys.map((key) => ({ required: [key] })) }),
    ...(shared && target.enum !== undefined ? { enum: target.enum } : {}),
    ...(shared && target.pattern !== undefined ? { pattern: target.pattern } : {}),
  };
}
