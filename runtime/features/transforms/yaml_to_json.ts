import { parseYaml } from "../../formats/yaml.ts";
import { type Conversion, type ConversionArgument, conversion, conversionSchema, convertText } from "../../paths/conversion.ts";
import { conversionExpects, textConversionShape } from "../../shapes/conversion.ts";
import { any } from "../../shapes/shape.ts";
import type { WorkOwner } from "../../threads/slices.ts";
import type { Json } from "../../value/json.ts";
import type { Transform } from "../feature.ts";

/** Stage 1. */
export const prepare = (argument: ConversionArgument): Conversion => conversion(argument);

/** Reads a YAML 1.2 text: one document, as JSON knows it; `no` is text, `0o17` is 15, and dates are text. */
export function yaml_to_json(data: Json, ready: Conversion, act: WorkOwner): Json | Promise<Json> {
  return convertText(data, ready, parseYaml, act);
}

export const spec: Transform<ConversionArgument, Conversion> = {
  summary: "Parse a YAML text.",
  schema: conversionSchema,
  bounds: "5 MiB, as much again behind aliases, 100 levels, 100,000 tokens, 100 alias expansions",
  effect: "pure",
  async: true,
  prepare,
  run: yaml_to_json,
  shape: (data, args) => textConversionShape(data, args, any),
  expects: conversionExpects,
};
