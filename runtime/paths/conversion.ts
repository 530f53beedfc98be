import type { JsonSchema } from "../features/feature.ts";
import { inSlices, type Work, type Worked } from "../threads/slices.ts";
import { Failure } from "../value/failure.ts";
import { type Json, typeOf } from "../value/json.ts";
import { asyncEachNode, eachNode, isPlural, placeOf, presentNodes } from "./each-node.ts";
import { type KeyPath, keyPath, type NodePath, nodePath, write } from "./path.ts";

/** The argument of a transform that converts values (spec/transforms 5, TransformConfig): what is converted in place, or from where to where. */
export type ConversionArgument = string | null | { readonly json_path: string | null; readonly key?: string | null };

/** What is converted, and where the result goes: in place without a key. */
export interface Conversion {
  readonly from: NodePath;
  readonly key: KeyPath | undefined;
}

/** Stage 1. */
export function conversion(argument: ConversionArgument): Conversion {
  if (argument === null || typeof argument === "string") return { from: nodePath(argument), key: undefined };
  return { from: nodePath(argument.json_path), key: keyPath(argument.key ?? null) };
}

/** Stage 1 where `key` may be left out. */
export function documentConversion(argument: ConversionArgument): Conversion {
  const inPlace = argument !== null && typeof argument === "object" && (argument.key ?? null) === null;
  return conversion(inPlace ? argument.json_path : argument);
}

/**
 * Converts each match of the path: in place, or into a list under the key, without the list when the path names one place. Then the source
 * stays. A path that names one place must match.
 */
export function convert(data: Json, { from, key }: Conversion, change: (value: Json) => Json): Json {
  const values = presentNodes(data, from);
  const converted = bounded(change);
  if (key === undefined) return eachNode(data, from, converted);
  const results = values.map(converted);
  return write(data, key, isPlural(data, from) ? results : (results[0] ?? null), from.steps.length === 0);
}

/** Characters of all results. Where one match is inside of another (`$..a`), 128 levels of data would become a text of 10^16. */
const longest = 67_108_864;

function bounded(change: (value: Json) => Json): (value: Json) => Json {
  let length = 0;
  return (value) => {
    const result = change(value);
    length += typeof result === "string" ? result.length : 0;
    if (length > longest) throw new Failure("transform", `output is over the limit of ${longest} characters`);
    return result;
  };
}

/** Likewise for a conversion that may take long: others have their turns meanwhile. */
export async function convertInSlices(
  data: Json,
  { from, key }: Conversion,
  change: (value: Json) => Work<Json>,
  act: Worked,
): Promise<Json> {
  const values = presentNodes(data, from);
  const within = bounded((result) => result);
  const converted = async (value: Json): Promise<Json> => within(await inSlices(change(value), act));
  if (key === undefined) return asyncEachNode(data, from, converted);
  const results: Json[] = [];
  for (const value of values) results.push(await converted(value));
  return write(data, key, isPlural(data, from) ? results : (results[0] ?? null), from.steps.length === 0);
}

/** Likewise for texts; anything else fails. */
export function convertText(data: Json, conversion: Conversion, change: (text: string) => Json): Json {
  return convert(data, conversion, (value) => {
    if (typeof value !== "string") throw new Failure("transform", `expected a string${placeOf(conversion.from)}, found ${typeOf(value)}`);
    return change(value);
  });
}

/** Likewise for texts whose conversion may take long: others have their turns meanwhile. */
export async function convertTextInSlices(
  data: Json,
  conversion: Conversion,
  change: (text: string) => Work<Json>,
  act: Worked,
): Promise<Json> {
  const texts: string[] = [];
  convertText(data, conversion, (text) => {
    texts.push(text);
    return null;
  });
  const results: Json[] = [];
  for (const text of texts) results.push(await inSlices(change(text), act));
  // No text is inside of another, so that the second time finds the same ones.
  let next = 0;
  return convertText(data, conversion, () => results[next++] ?? null);
}

const inPlace: JsonSchema = {
  type: "string",
  context: "path",
  description: "Path of what is converted in place, such as `body.text` or `$.items[*].text`.",
};

const properties: Readonly<Record<string, JsonSchema>> = {
  json_path: { type: "string", context: "path", description: "Path of what is converted." },
  key: { type: "string", context: "path", description: "Where the result is written: a list of results when the path can match several." },
};

/** The schema of `ConversionArgument`. */
export const conversionSchema: JsonSchema = {
  anyOf: [
    inPlace,
    {
      type: "object",
      required: ["json_path", "key"],
      additionalProperties: false,
      properties,
      description: "What is converted, and where the result is written; the source stays.",
    },
  ],
};

/** The same where `key` may be left out. */
export const documentSchema: JsonSchema = {
  anyOf: [
    inPlace,
    {
      type: "object",
      required: ["json_path"],
      additionalProperties: false,
      properties,
      description: "What is converted, and where the result is written: without `key` in place, with it the source stays.",
    },
  ],
};
