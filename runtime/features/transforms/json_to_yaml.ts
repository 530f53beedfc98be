import { yamlOf } from "../../formats/yaml-text.ts";
import { type Conversion, type ConversionArgument, conversion, conversionSchema, convert } from "../../paths/conversion.ts";
import { Long } from "../../paths/each-node.ts";
import { ofAny } from "../../shapes/arguments.ts";
import { conversionExpects, conversionShape } from "../../shapes/conversion.ts";
import { string } from "../../shapes/shape.ts";
import type { WorkOwner } from "../../threads/slices.ts";
import type { Json } from "../../value/json.ts";
import type { Transform } from "../feature.ts";

/** Stage 1 parses the path. */
export const prepare = (argument: ConversionArgument): Conversion => conversion(argument);

/** Writes a value as YAML text, from which `yaml_to_json` reads the same value. */
export function json_to_yaml(data: Json, ready: Conversion, act: WorkOwner): Json | Promise<Json> {
  return convert(data, ready, (value) => new Long(yamlOf(value)), act);
}

export const spec: Transform<ConversionArgument, Conversion> = {
  summary: "Write a value as YAML text.",
  schema: conversionSchema,
  bounds: "results of 67,108,864 characters in all",
  effect: "pure",
  async: true,
  prepare,
  run: json_to_yaml,
  shape: (data, args) => conversionShape(data, args, ofAny(string)),
  expects: conversionExpects,
};
