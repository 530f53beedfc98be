import { inSlices, type Work, type WorkOwner } from "../threads/slices.ts";
import { Failure } from "../value/failure.ts";
import type { Json } from "../value/json.ts";
import { show } from "../value/show.ts";
import { parseJsonFor, parseJsonLinesFor } from "./json-text.ts";

/** The words for a text in messages, and the failure that is thrown when the text is not of its type. */
export interface DataTypeSource {
  readonly name: string;
  readonly bad: (reason: string) => Failure;
}

/** The value of a text whose type its author has written as `data_type`. A long document gives others their turns. */
export function byDataType(text: string, type: string, act: WorkOwner, source: DataTypeSource): Json | Promise<Json> {
  switch (type) {
    case "text":
      return text;
    case "json":
      return orBad(parseJsonFor(text, act), "JSON", source);
    case "ndjson":
    case "jsonl":
      return orBad(parseJsonLinesFor(text, act), "one JSON document a line", source);
    case "csv":
      return import("./csv.ts").then(({ rowsOf }) => parsed(rowsOf(text), act, source));
    case "xml":
      return import("./xml.ts").then(({ rootOf }) => parsed(rootOf(text), act, source));
    default:
      throw new Failure("evaluation", `field data_type: expected text, json, ndjson, jsonl, csv or xml, got '${show(type)}'`);
  }
}

function orBad(value: Json | undefined | Promise<Json | undefined>, expected: string, source: DataTypeSource): Json | Promise<Json> {
  if (value instanceof Promise) return value.then((read) => orBad(read, expected, source));
  if (value === undefined) throw source.bad(`${source.name} is not ${expected}`);
  return value;
}

/** Parses a document in slices. When the text is no document, the failure has the parser's reason. */
async function parsed(work: Work<Json>, act: WorkOwner, { name, bad }: DataTypeSource): Promise<Json> {
  try {
    return await inSlices(work, act);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    throw bad(`${name}: ${error.message}`);
  }
}
