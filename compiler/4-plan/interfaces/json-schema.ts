import { _, Ajv2020, type CodeKeywordDefinition, type ErrorObject, str } from "ajv/dist/2020.js";
import { fullFormats } from "ajv-formats/dist/formats.js";
import { compile } from "#runtime/languages/regex.ts";
import { duplicateItems } from "#runtime/value/duplicates.ts";
import { Failure } from "#runtime/value/failure.ts";
import { isObject, type Json, type JsonObject } from "#runtime/value/json.ts";

/** A mistake in a schema, and where it is. */
export interface SchemaFault {
  /** Members and indices from the schema on. */
  readonly path: readonly string[];
  readonly reason: string;
}

/** Keywords that only describe a schema: documents of OpenAPI have them, and keys that begin with `x-` are private. */
const annotations: readonly string[] = ["example", "discriminator", "xml", "externalDocs"];

/** Names in the code that ajv writes, which the printer replaces. */
export const namesInCode = { formats: "schemaFormats", pattern: "schemaPattern", duplicate: "schemaDuplicate" } as const;

/** Patterns are those of the whole language: RE2, in linear time. */
const linear = Object.assign((pattern: string) => ({ test: compile(pattern).test, toString: () => pattern }), {
  code: namesInCode.pattern,
});

/** The keyword with the meaning that it has in ajv, which compares each item with all others: a million items would take hours. */
const uniqueItems: CodeKeywordDefinition = {
  keyword: "uniqueItems",
  type: "array",
  schemaType: "boolean",
  error: {
    message: ({ params: { pair } }) => str`must NOT have duplicate items (items ## ${_`${pair}.j`} and ${_`${pair}.i`} are identical)`,
    params: ({ params: { pair } }) => _`${pair}`,
  },
  code(context) {
    const { gen, data, schema } = context;
    if (!schema) return;
    const find = gen.scopeValue("func", { ref: duplicateItems, code: _`schemaDuplicate` });
    const pair = gen.const("pair", _`${find}(${data})`);
    context.setParams({ pair });
    context.fail(_`${pair} !== null`);
  },
};

/**
 * ajv for the schemas of users. It finds everything that is wrong with a value, asserts formats, and knows no member that a value only
 * inherits. `warn` gets what it would pass over, such as a keyword that it does not know.
 */
export function schemaCompiler(schema: Json, warn: (reason: string) => void = () => undefined, optimize = 3): Ajv2020 {
  const log = (...reasons: readonly unknown[]): void => warn(reasons.join(" "));
  const ajv = new Ajv2020({
    allErrors: true,
    strict: false,
    strictSchema: "log",
    ownProperties: true,
    // 19.99 is a multiple of 0.01, though not of what a double makes of it.
    multipleOfPrecision: 9,
    formats: fullFormats,
    logger: { log, warn: log, error: () => undefined },
    // `schemaFaults` holds a schema against the meta-schema, which takes ajv 30 milliseconds to compile; a schema may refer to it, too.
    meta: JSON.stringify(schema).includes("json-schema.org"),
    validateSchema: false,
    code: { source: true, lines: true, esm: true, optimize, formats: _`schemaFormats`, regExp: linear },
  });
  ajv.removeKeyword(uniqueItems.keyword as string).addKeyword(uniqueItems);
  const { keywords, formats } = ownWords(schema);
  for (const keyword of [...annotations, ...keywords]) ajv.addKeyword(keyword);
  for (const format of formats) {
    warn(`unknown format "${format}"`);
    ajv.addFormat(format, true);
  }
  return ajv;
}

/** The schema without `$schema`: every schema is read as 2020-12. */
export function bare(schema: Json): JsonObject | boolean {
  if (!isObject(schema)) return schema === true;
  const { $schema: _kind, ...rest } = schema;
  return rest;
}

/** Lists everything that makes a schema invalid. */
export function schemaFaults(schema: Json): readonly SchemaFault[] {
  if (!isObject(schema) && typeof schema !== "boolean") return [{ path: [], reason: "a schema is an object, true or false" }];
  const judge = metaSchema();
  if (judge.validateSchema(bare(schema)) !== true) return distinct((judge.errors ?? []).map(faultOf));
  try {
    unprinted(schema).compile(bare(schema));
    return holdsAsync(schema) ? [{ path: ["$async"], reason: "$async has no meaning here" }] : [];
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return [
      { path: [], reason: error instanceof Failure ? error.message : error.message.replace(/ from id .*| in schema at path.*/s, "") },
    ];
  }
}

let judge: Ajv2020 | undefined;

/** ajv with the meta-schema, which is the same for each schema of a process. */
function metaSchema(): Ajv2020 {
  judge ??= new Ajv2020({ allErrors: true, strict: false, ownProperties: true, formats: fullFormats, logger: false });
  return judge;
}

/** Finds the parts of a schema that would check nothing: misspelt keywords and unknown formats. */
export function uncheckedParts(schema: Json): readonly string[] {
  const reasons = new Set<string>();
  unprinted(schema, (reason) => reasons.add(reason.replace(/^strict mode: | ignored in schema at path ".*"$/g, ""))).compile(bare(schema));
  return [...reasons];
}

/** Nobody runs what it compiles, so it is not made shorter: of a large schema that takes most of the time. */
const unprinted = (schema: Json, warn?: (reason: string) => void): Ajv2020 => schemaCompiler(schema, warn, 0);

const faultOf = ({ instancePath, message = "is wrong", params }: ErrorObject): SchemaFault => {
  const values: unknown = params.allowedValues;
  return {
    path: instancePath.split("/").slice(1).map(unescaped),
    reason: Array.isArray(values) ? `must be one of ${values.join(", ")}` : message,
  };
};

/** The meta-schema says the same of one place in several ways; the first is the nearest. */
function distinct(faults: readonly SchemaFault[]): readonly SchemaFault[] {
  const places = new Map<string, SchemaFault>();
  for (const fault of faults) if (!places.has(fault.path.join("/"))) places.set(fault.path.join("/"), fault);
  return [...places.values()].filter(({ path }) => path.length > 0 || places.size === 1);
}

const unescaped = (step: string): string => step.replaceAll("~1", "/").replaceAll("~0", "~");

const holdsAsync = (schema: Json): boolean => isObject(schema) && Object.hasOwn(schema, "$async");

/** Words of a schema that are not ajv's: keywords that begin with `x-`, and formats that nobody knows. */
interface OwnWords {
  readonly keywords: Set<string>;
  readonly formats: Set<string>;
}

function ownWords(schema: Json, words: OwnWords = { keywords: new Set(), formats: new Set() }): OwnWords {
  if (Array.isArray(schema)) for (const item of schema) ownWords(item, words);
  else if (isObject(schema)) {
    for (const [key, value] of Object.entries(schema)) {
      if (/^x-[\w-]+$/.test(key)) words.keywords.add(key);
      if (key === "format" && typeof value === "string" && !Object.hasOwn(fullFormats, value)) words.formats.add(value);
      ownWords(value, words);
    }
  }
  return words;
}
