import type { Verdict } from "../../run/verdict.ts";
import { counted } from "../../value/counted.ts";
import { Reject } from "../../value/failure.ts";
import { type Json, own } from "../../value/json.ts";
import { show } from "../../value/show.ts";
import { detail } from "../../value/target.ts";
import { text } from "../../value/values.ts";
import type { Matcher } from "../feature.ts";

interface Ready {
  readonly bytes: number;
  readonly limit: Json;
}

const units: Readonly<Record<string, number>> = { "": 1, B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };

/** A longer text is no size. It may come from data, so that nothing reads all of it. */
const longestSize = 100;

/** Stage 1: anything but bytes, or a number with `B`, `KB`, `MB` or `GB` (powers of 1024), is PW114. */
export function prepare(limit: Json): Ready {
  const size = text(limit);
  const [, digits, unit = ""] = (size.length <= longestSize && /^\s*(\d+(?:\.\d+)?)\s*(?:([KMG]?B)\s*)?$/i.exec(size)) || [];
  if (digits === undefined) throw new Reject("PW114", `'size_limit': expected a size such as 10KB, got '${show(limit)}'`);
  return { bytes: Number(digits) * (own(units, unit.toUpperCase()) ?? 1), limit };
}

/** The UTF-8 bytes of a string, or of the compact JSON of any other value, are within the limit. Null fails. */
export function size_limit(target: Json, { bytes, limit }: Ready): Verdict {
  const size = Buffer.byteLength(typeof target === "string" ? target : JSON.stringify(target));
  return (target !== null && size <= bytes) || detail`expected target size ${size} not within ${limit}`;
}

export const spec: Matcher<Json, Ready> = {
  summary: "The value is not larger than the limit, in bytes.",
  schema: { type: ["number", "string"], description: "The limit: bytes, or text such as `10KB` or `2MB` (powers of 1024)." },
  prepare,
  run: size_limit,
  describe: (limit) => ({ description: `At most ${typeof limit === "number" ? counted(limit, "byte") : show(limit)}.` }),
};
