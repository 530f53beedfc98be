import type { Verdict } from "../../run/verdict.ts";
import { onlyTypes } from "../../shapes/passing.ts";
import type { Json } from "../../value/json.ts";
import { show } from "../../value/show.ts";
import type { Matcher } from "../feature.ts";

/** A string of 8-4-4-4-12 hexadecimal digits, of any version and case. False asks for the contrary, which null meets. */
export function is_uuid(target: Json, expected: boolean): Verdict {
  const isUuid = typeof target === "string" && /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(target);
  return isUuid === expected || `expected target ${show(target)} to ${expected ? "" : "not "}be a uuid`;
}

export const spec: Matcher<boolean> = {
  summary: "The text is a UUID.",
  typed: true,
  meansText: true,
  decides: true,
  schema: { type: "boolean", description: "True: it must be one. False: it must not be one." },
  run: is_uuid,
  describe: (expected) => (expected ? { type: "string", format: "uuid" } : {}),
  shape: (target, expected) => (expected === true ? onlyTypes("string")(target) : target),
};
