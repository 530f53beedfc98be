import type { JsonSchema } from "../features/feature.ts";
import { inSlices, type Work, type WorkOwner } from "../threads/slices.ts";
import { Failure } from "../value/failure.ts";
import { type Json, typeOf } from "../value/json.ts";
import { eachNodeWork, isPlural, Long, placeOf, presentWork } from "./each-node.ts";
import { type KeyPath, keyPath, type NodePath, nodePath, write } from "./path.ts";

/**
 * The argument of a transform that converts values (spec/transforms 5, TransformConfig): the path that is converted in place, or the path
 * that is read and the key for the result.
 */
export type ConversionArgument = string | null | { readonly json_path: string | null; readonly key?: string | null };

/** The path of the values that are converted, and the key for the result; without a key they are converted in place. */
export interface Conversion {
  readonly from: NodePath;
  readonly key: KeyPath | undefined;
}

/** Stage 1 of the argument. */
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
 * Converts each match of the path. Without a key it is converted in place. With a key the source stays, and the results are written under
 * the key: a list, or one value when the path names one place. A path that names one place must match. Others have their turns meanwhile.
 */
export const convert = (data: Json, conversion: Conversion, change: Change, act: WorkOwner): Json | Promise<Json> =>
  inSlices(converted(data, conversion, bounded(change)), act);

type Change = (value: Json) => Json | Long;

function* converted(data: Json, { from, key }: Conversion, change: Change): Work<Json> {
  const values = yield* presentWork(data, from);
  if (key === undefined) return yield* eachNodeWork(data, from, change);
  const results: Json[] = [];
  for (const value of values) {
    const result = change(value);
    results.push(result instanceof Long ? yield* result.work : result);
    if (results.length % resultsOfSlice === 0) yield;
  }
  return write(data, key, isPlural(data, from) ? results : (results[0] ?? null), from.steps.length === 0);
}

/** Results that take about a millisecond. */
const resultsOfSlice = 500;

/** Most characters of all results. Where one match is inside of another (`$..a`), 128 levels of data would become a text of 10^16. */
const longest = 67_108_864;

function bounded(change: Change): Change {
  let length = 0;
  const within = (result: Json): Json => {
    length += typeof result === "string" ? result.length : 0;
    if (length > longest) throw new Failure("transform", `output is over the limit of ${longest} characters`);
    return result;
  };
  function* whole(work: Work<Json>): Work<Json> {
    return within(yield* work);
  }
  return (value) => {
    const result = change(value);
    return result instanceof Long ? new Long(whole(result.work)) : within(result);
  };
}

/** Converts texts as `convert` does; any other match fails. */
export function convertText(
  data: Json,
  conversion: Conversion,
  change: (text: string) => Json | Long,
  act: WorkOwner,
): Json | Promise<Json> {
  const changed: Change = (value) => {
    if (typeof value !== "string") throw new Failure("transform", `expected a string${placeOf(conversion.from)}, found ${typeOf(value)}`);
    return change(value);
  };
  return convert(data, conversion, changed, act);
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

/** The schema where `key` may be left out. */
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
