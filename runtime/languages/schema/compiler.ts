import { _, Ajv2020 } from "ajv/dist/2020.js";
import { isObject, type Json, type JsonObject, put } from "../../value/json.ts";
import { compile } from "../regex.ts";
import { formats as known } from "./formats.ts";
import { addOwnKeywords, functionsInCode } from "./keywords.ts";

/**
 * Keywords that judge no value: names of parts, which ajv reads without listing them, and those of documents of OpenAPI. Keys that begin
 * with `x-` are private.
 */
const annotations: readonly string[] = ["$anchor", "example", "discriminator", "xml", "externalDocs"];

/** Names in the code that ajv writes, which the printer replaces. */
export const namesInCode = { formats: "schemaFormats", pattern: "schemaPattern", ...functionsInCode } as const;

/** Patterns are those of RE2, in linear time, as everywhere in the language. */
const linear = Object.assign((pattern: string) => ({ test: compile(pattern).test, toString: () => pattern }), {
  code: namesInCode.pattern,
});

interface SchemaOptions {
  /** Gets the reason for whatever ajv would silently ignore, such as an unknown keyword. */
  readonly warn?: (reason: string) => void;
  readonly optimize?: number;
  /** True when the schema was already checked against the meta-schema, which ajv takes 30 milliseconds to compile. */
  readonly isChecked?: true;
}

/**
 * ajv for the schemas of users. It finds everything that is wrong with a value, asserts formats, and ignores members that a value only
 * inherits.
 */
export function schemaCompiler(schema: Json, { warn = () => undefined, optimize = 3, isChecked }: SchemaOptions = {}): Ajv2020 {
  const log = (...reasons: readonly unknown[]): void => warn(reasons.join(" "));
  const ajv = new Ajv2020({
    allErrors: true,
    strict: false,
    strictSchema: "log",
    ownProperties: true,
    formats: known,
    logger: { log, warn: log, error: () => undefined },
    // A schema may refer to the meta-schema.
    meta: !isChecked || JSON.stringify(schema).includes("json-schema.org"),
    validateSchema: !isChecked,
    code: { source: true, lines: true, esm: true, optimize, formats: _`schemaFormats`, regExp: linear },
  });
  // Only these keywords need to know the members and items that other keywords have evaluated.
  if (!JSON.stringify(schema).includes("unevaluated")) ajv.opts.unevaluated = false;
  addOwnKeywords(ajv);
  const { keywords, formats } = ownWords(schema);
  for (const keyword of [...annotations, ...keywords]) ajv.addKeyword(keyword);
  for (const format of formats) {
    warn(`unknown format "${format}"`);
    ajv.addFormat(format, true);
  }
  return ajv;
}

/**
 * The schema without `$schema`: every schema is read as 2020-12. In a single document a `$dynamicRef` means the same as a `$ref`, which
 * replaces it: ajv finds every anchor of a `$ref`, but dynamic ones only at the root.
 */
export function bare(schema: Json): JsonObject | boolean {
  if (!isObject(schema)) return schema === true;
  const { $schema: _kind, ...rest } = schema;
  const text = JSON.stringify(rest);
  return text.includes('"$dynamicRef"') && !text.includes('"$id"') ? (withRefs(rest) as JsonObject) : rest;
}

/** Keywords whose values are data. */
const data: ReadonlySet<string> = new Set(["const", "enum", "default", "examples", "example"]);

function withRefs(part: Json): Json {
  if (Array.isArray(part)) return part.map(withRefs);
  if (!isObject(part)) return part;
  const isOne = typeof part.$dynamicRef === "string" && part.$ref === undefined;
  const out: JsonObject = {};
  for (const [key, value] of Object.entries(part))
    put(out, isOne && key === "$dynamicRef" ? "$ref" : key, data.has(key) ? value : withRefs(value));
  return out;
}

/** Words of a schema that ajv does not have: keywords that begin with `x-`, and unknown formats. */
interface OwnWords {
  readonly keywords: Set<string>;
  readonly formats: Set<string>;
}

function ownWords(schema: Json, words: OwnWords = { keywords: new Set(), formats: new Set() }): OwnWords {
  if (Array.isArray(schema)) for (const item of schema) ownWords(item, words);
  else if (isObject(schema)) {
    for (const [key, value] of Object.entries(schema)) {
      if (/^x-[\w-]+$/.test(key)) words.keywords.add(key);
      if (key === "format" && typeof value === "string" && !Object.hasOwn(known, value)) words.formats.add(value);
      ownWords(value, words);
    }
  }
  return words;
}
