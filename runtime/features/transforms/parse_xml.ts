import { rootOf } from "../../formats/xml.ts";
import { type Conversion, type ConversionArgument, convertText, documentConversion, documentSchema } from "../../paths/conversion.ts";
import { Long } from "../../paths/each-node.ts";
import type { Act } from "../../run/run.ts";
import { conversionExpects, textConversionShape } from "../../shapes/conversion.ts";
import { xmlShape } from "../../shapes/formats.ts";
import type { Json } from "../../value/json.ts";
import type { Transform } from "../feature.ts";

/** Stage 1 parses the path. */
export const prepare = (argument: ConversionArgument): Conversion => documentConversion(argument);

/** Reads an XML document as an object: attributes are `@name`, repeated siblings a list, all values text. */
export function parse_xml(data: Json, ready: Conversion, act: Act): Json | Promise<Json> {
  return convertText(data, ready, (text) => new Long(rootOf(text)), act);
}

export const spec: Transform<ConversionArgument, Conversion> = {
  summary: "Parse an XML document.",
  schema: documentSchema,
  bounds: "128 levels, 10,000 attributes of an element, 200,000 different names; no document types, no entities but the predefined",
  effect: "pure",
  async: true,
  prepare,
  run: parse_xml,
  texts: "tree",
  shape: (data, args) => textConversionShape(data, args, xmlShape()),
  expects: conversionExpects,
};
