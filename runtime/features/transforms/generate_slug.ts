import { piece, slug, slugWork } from "../../formats/slug.ts";
import { type Conversion, type ConversionArgument, conversion, conversionSchema, convertText } from "../../paths/conversion.ts";
import { Long } from "../../paths/each-node.ts";
import { conversionExpects, textConversionShape } from "../../shapes/conversion.ts";
import { string } from "../../shapes/shape.ts";
import type { WorkOwner } from "../../threads/slices.ts";
import type { Json } from "../../value/json.ts";
import type { Transform } from "../feature.ts";

/** Stage 1 parses the path. */
export const prepare = (argument: ConversionArgument): Conversion => conversion(argument);

/** Makes a text fit for an address: `Crème Brûlée & more` is `creme-brulee-more`, `東京` is `dongjing`. May be empty. */
export function generate_slug(data: Json, ready: Conversion, act: WorkOwner): Json | Promise<Json> {
  return convertText(data, ready, (text) => (text.length > piece ? new Long(slugWork(text)) : slug(text)), act);
}

export const spec: Transform<ConversionArgument, Conversion> = {
  summary: "Make a slug of a text, for addresses.",
  schema: conversionSchema,
  effect: "pure",
  hides: true,
  async: true,
  prepare,
  run: generate_slug,
  shape: (data, args) => textConversionShape(data, args, string),
  expects: conversionExpects,
};
