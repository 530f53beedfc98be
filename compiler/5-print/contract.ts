import { isObject, type Json, type JsonObject } from "#runtime/json.ts";
import type { InterfacePlan } from "#runtime/plan.ts";
import { Names } from "./names.ts";

/** Printed types of one interface, by interface name. */
export type ContractTypes = ReadonlyMap<string, string>;

/**
 * `Input` and `Output` of an interface as TypeScript, from `accepts`/`produces` or from its tests (decisions.md A24).
 * json-schema-to-typescript is loaded only when a contract is known: most of its cost is being loaded.
 */
export async function contractTypes(interfaces: readonly InterfacePlan[]): Promise<ContractTypes> {
  const out = new Map<string, string>();
  const names = new Names([]);
  for (const { name, contract } of interfaces) {
    const typeName = pascal(name);
    const parts = [
      await declared(contract.input, names.fresh(`${typeName}Input`)),
      await declared(contract.output, names.fresh(`${typeName}Output`)),
    ].filter((part) => part !== "");
    if (parts.length > 0) out.set(name, parts.join("\n\n"));
  }
  return out;
}

/** `posts/create` as `PostsCreate`. */
const pascal = (name: string): string => name.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9]?)/g, (_, first: string) => first.toUpperCase());

/** Stands for the name of a type in the text of its shape. */
const placeholder = "PrintedContract";

/** Keywords that bound a value within its type: no type shows them. */
const bounds: ReadonlySet<string> = new Set(
  "pattern format minLength maxLength minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minProperties maxProperties".split(" "),
);

/** Values, not schemas: what they hold is part of the type. */
const values: ReadonlySet<string> = new Set(["const", "enum", "default"]);

/** The schema without the keywords that no type shows. A property may have the name of a keyword, but then its schema is no text or number. */
function withoutBounds(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withoutBounds);
  if (!isObject(schema)) return schema;
  const { minItems, maxItems } = schema;
  // Tests that nothing passes, which the library refuses.
  const isEmpty = typeof minItems === "number" && typeof maxItems === "number" && minItems > maxItems;
  const shown = (key: string): boolean => !bounds.has(key) && !(isEmpty && (key === "minItems" || key === "maxItems"));
  const kept = Object.entries(schema).filter(([key, value]) => shown(key) || typeof value === "object");
  return Object.fromEntries(kept.map(([key, value]) => [key, values.has(key) ? value : withoutBounds(value)]));
}

/** Shapes repeat, within a configuration and between them, and making the text of one takes a millisecond. */
const shapes = new Map<string, Promise<string>>();
const mostShapes = 1000;

async function declared(schema: Json | undefined, name: string): Promise<string> {
  const shape = withoutBounds(schema ?? null);
  if (!isObject(shape)) return "";
  const key = JSON.stringify(shape);
  const known = shapes.get(key) ?? shaped(shape);
  if (shapes.size >= mostShapes) shapes.clear();
  shapes.set(key, known);
  return (await known).replaceAll(placeholder, name);
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
    // Definitions of two interfaces may have the same name.
    customName: (part, key) =>
      part.title === placeholder ? undefined : (key ?? part.title) && `${placeholder}${pascal(key ?? part.title ?? "")}`,
  });
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
