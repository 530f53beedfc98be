import type { TextSource } from "../features/feature.ts";
import { any, anyObject, array, nothing, object, type Shape, string, union } from "./shape.ts";

/** Rows of CSV: cells are texts, and null where a row is short. */
export const csvShape = (): Shape => array(object({}, union(string, nothing)));

/** A document of XML: its root by its name. */
export const xmlShape = (): Shape => object({}, union(string, anyObject));

/** Formats whose reader leaves numbers as texts, and the form in which they stand. */
export const textsOf: Readonly<Record<string, TextSource>> = { csv: "rows", xml: "tree" };

/** The value of a text that is read by a `data_type`. */
export function textFormatShape(type: string): Shape {
  switch (type) {
    case "text":
      return string;
    case "csv":
      return csvShape();
    case "xml":
      return xmlShape();
    case "ndjson":
    case "jsonl":
      return array(any);
    default:
      return any;
  }
}
