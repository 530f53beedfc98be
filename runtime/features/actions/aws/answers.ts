import { rootOf } from "../../../formats/xml.ts";
import type { Act } from "../../../run/run.ts";
import { inSlices } from "../../../threads/slices.ts";
import { Failure } from "../../../value/failure.ts";
import { asObject, isObject, type Json, type JsonObject, own } from "../../../value/json.ts";

/** An answer of a service that is not what its documentation says. */
export const unreadable = (service: string, what: string): Failure =>
  new Failure("transport", `aws ${service}: the answer is not ${what}`, { upstream: 502 });

/** The root element of an XML answer. A document that declares entities is refused. */
export async function xmlRoot(bytes: Buffer, name: string, service: string, act: Act): Promise<JsonObject> {
  const value = own(await read(bytes, service, act), name);
  if (value === undefined) throw unreadable(service, `an XML document <${name}>`);
  return asObject(value);
}

async function read(bytes: Buffer, service: string, act: Act): Promise<JsonObject> {
  try {
    return await inSlices(rootOf(bytes.toString("utf8")), act);
  } catch (error) {
    if (error instanceof Failure) throw unreadable(service, "XML");
    throw error;
  }
}

/** The object of a JSON answer. */
export function jsonObject(bytes: Buffer, service: string): JsonObject {
  try {
    const value = JSON.parse(bytes.toString("utf8")) as Json; // what JSON.parse gives is JSON
    if (isObject(value)) return value;
  } catch {
    // A text that is no JSON fails below.
  }
  throw unreadable(service, "a JSON object");
}

/** The element below these names. */
export function elementAt(element: Json | undefined, ...names: readonly string[]): Json | undefined {
  let here = element;
  for (const name of names) here = isObject(here) ? own(here, name) : undefined;
  return here;
}

/** The text of an element; undefined where there is none. Attributes do not count. */
export function textAt(element: Json | undefined, ...names: readonly string[]): string | undefined {
  const place = elementAt(element, ...names);
  const text = isObject(place) ? own(place, "#text") : place;
  return typeof text === "string" ? text : undefined;
}

/** The elements of one name, of which XML may have none, one or several. */
export function elementsAt(element: JsonObject, name: string): readonly Json[] {
  const members = own(element, name);
  return members === undefined ? [] : Array.isArray(members) ? members : [members];
}
