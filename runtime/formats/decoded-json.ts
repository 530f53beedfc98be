import type { Work, WorkOwner } from "../threads/slices.ts";
import { Failure } from "../value/failure.ts";
import type { Json } from "../value/json.ts";
import { parseJson, parseJsonFor, parseJsonWork } from "./json-text.ts";

/** The value of a decoded text that must be JSON. */
export const decodedJson = (text: string): Json => orBad(parseJson(text));

/** As `decodedJson`; a long text gives others their turns. */
export const decodedJsonFor = async (text: string, act: WorkOwner): Promise<Json> => orBad(await parseJsonFor(text, act));

/** As `decodedJson`, in parts. */
export function* decodedJsonWork(text: string): Work<Json> {
  return orBad(yield* parseJsonWork(text));
}

function orBad(value: Json | undefined): Json {
  if (value === undefined) throw new Failure("transform", "decoded text is not JSON");
  return value;
}
