import type { Transform } from "../feature.ts";
import type { Json } from "../json.ts";
import { type Conversion, type ConversionArgument, convertText, documentConversion, documentSchema } from "../lib/conversion.ts";
import { parseXml } from "../lib/xml.ts";

/** Stage 1. */
export const prepare = (argument: ConversionArgument): Conversion => documentConversion(argument);

/** Reads an XML document as an object: attributes are `@name`, repeated siblings a list, all values text. */
export function parse_xml(data: Json, ready: Conversion): Json {
  return convertText(data, ready, parseXml);
}

export const spec: Transform<ConversionArgument, Conversion> = {
  summary: "Parse an XML document.",
  schema: documentSchema,
  bounds: "128 levels; no document types, no entities but the predefined",
  effect: "pure",
  prepare,
  run: parse_xml,
};
