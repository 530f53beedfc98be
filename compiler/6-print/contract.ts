import type { InterfacePlan } from "#runtime/plan/index.ts";
import { isObject, type Json, type JsonObject, own, put } from "#runtime/value/json.ts";
import { Names } from "./names.ts";

/** The printed types of one interface: their text, and the names of the input and the output where these are known. */
export interface ContractType {
  readonly text: string;
  readonly input?: string;
  readonly output?: string;
}

/** Every word of the types, among which are their names. */
export const wordsOf = ({ text }: ContractType): readonly string[] => text.match(/\w+/g) ?? [];

/** Printed types by interface name. */
export type ContractTypes = ReadonlyMap<string, ContractType>;

/**
 * `Input` and `Output` of an interface as TypeScript, from `accepts`/`produces` or from its tests (spec/language 7.10).
 * json-schema-to-typescript is loaded only when a contract is known: most of its cost is being loaded.
 */
export async function contractTypes(interfaces: readonly InterfacePlan[], names = new Names([])): Promise<ContractTypes> {
  const out = new Map<string, ContractType>();
  for (const { name, contract } of interfaces) {
    const [input, output] = [names.fresh(`${pascal(name)}Input`), names.fresh(`${pascal(name)}Output`)];
    const [inputText, outputText] = [await declared(contract.input, input), await declared(contract.output, output)];
    const parts = [inputText, outputText].filter((part) => part !== "");
    if (parts.length === 0) continue;
    out.set(name, { text: parts.join("\n\n"), ...(inputText === "" ? {} : { input }), ...(outputText === "" ? {} : { output }) });
  }
  return out;
}

/** `posts/create` as `PostsCreate`. */
export const pascal = (name: string): string =>
  name.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9]?)/g, (_, first: string) => first.toUpperCase());

/** Stands for the name of a type in the text of its shape. */
const placeholder = "PrintedContract";

/** Keywords whose value is a schema or a list of some. TypeScript has no type for what a value is not. */
const schemas: ReadonlySet<string> = new Set("additionalProperties items additionalItems anyOf oneOf allOf".split(" "));

/** Keywords whose value has schemas by name. */
const schemasByName: ReadonlySet<string> = new Set("properties patternProperties definitions $defs".split(" "));

/** Keywords whose value is no schema, and which value the library takes for them. */
const facts: Readonly<Record<string, (value: Json) => boolean>> = {
  type: () => true,
  const: () => true,
  enum: Array.isArray,
  default: () => true,
  required: (value) => Array.isArray(value) || typeof value === "boolean",
  title: (value) => typeof value === "string",
  description: (value) => typeof value === "string",
  deprecated: (value) => typeof value === "boolean",
  minItems: (value) => typeof value === "number" && value >= 0,
  maxItems: (value) => typeof value === "number" && value >= 0,
  // The library would read files and ask servers for others.
  $ref: (value) => typeof value === "string" && value.startsWith("#"),
};

/**
 * The part of a schema that is a type. The library knows further keywords, one of which (`tsType`) is code: what is not listed here does
 * not reach it.
 */
function typed(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(typed);
  if (!isObject(schema)) return schema;
  const { minItems, maxItems } = schema;
  // Tests that nothing passes, which the library refuses.
  const isEmpty = typeof minItems === "number" && typeof maxItems === "number" && minItems > maxItems;
  const out: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (isEmpty && (key === "minItems" || key === "maxItems")) continue;
    if (schemas.has(key)) put(out, key, typed(value));
    else if (schemasByName.has(key) && isObject(value)) put(out, key, mapped(value));
    else if (own(facts, key)?.(value)) put(out, key, value);
  }
  const words = Object.keys(out);
  // The library takes what is only described for an object.
  const isOpen =
    words.length > 0 && words.every((word) => word === "title" || word === "description" || word === "default" || word === "deprecated");
  return isOpen ? { ...out, tsType: "unknown" } : out;
}

function mapped(byName: JsonObject): JsonObject {
  const out: JsonObject = {};
  for (const [name, schema] of Object.entries(byName)) put(out, name, typed(schema));
  return out;
}

/** Shapes repeat, within a configuration and between them, and making the text of one takes a millisecond. */
const shapes = new Map<string, Promise<string>>();
const mostShapes = 1000;

async function declared(schema: Json | undefined, name: string): Promise<string> {
  const shape = typed(schema ?? null);
  // A schema that only says what a value is not is no type.
  if (!isObject(shape) || (Object.keys(shape).length === 0 && isObject(schema) && schema.not !== undefined)) return "";
  const key = JSON.stringify(shape);
  const text = shapes.get(key) ?? shaped(shape);
  if (shapes.size >= mostShapes) shapes.clear();
  shapes.set(key, text);
  return (await text).replaceAll(placeholder, name);
}

async function shaped(schema: JsonObject): Promise<string> {
  const { compile } = await import("json-schema-to-typescript");
  const text = await compile({ ...schema, title: placeholder }, placeholder, {
    bannerComment: "",
    // Its formatter takes seven times as long as the rest.
    format: false,
    // More members than named are always allowed; saying so on every level would hide those that are.
    additionalProperties: false,
    ignoreMinAndMaxItems: true,
    unknownAny: true,
    $refOptions: { resolve: { external: false, file: false, http: false } },
    // Definitions of two interfaces may have the same name.
    customName: (part, key) =>
      part.title === placeholder ? undefined : (key ?? part.title) && `${placeholder}${pascal(key ?? part.title ?? "")}`,
    // A reference to nothing: a schema is only shown here, and what cannot be shown is of any type.
  }).catch(() => `export type ${placeholder} = unknown`);
  return layOut(text.trim());
}

/** Indents the lines, ends members with a semicolon and puts a comment of one line on one line. */
function layOut(text: string): string {
  let depth = 0;
  const lines = text
    .replace(/\/\*\*\n *\* (.*)\n *\*\//g, "/** $1 */")
    .split("\n")
    .map((line) => line.trim());
  return lines
    .map((line) => {
      if (line.startsWith("}")) depth -= 1;
      const indent = "  ".repeat(depth) + (line.startsWith("*") ? " " : "");
      if (line.endsWith("{")) depth += 1;
      return `${indent}${line}${isMember(line) && (depth > 0 || line.startsWith("export type")) ? ";" : ""}`;
    })
    .join("\n");
}

const isMember = (line: string): boolean => line !== "" && !/^\/?\*|[{;]$/.test(line);
