import { eachNodeWork, placeOf } from "../../paths/each-node.ts";
import { type NodePath, nodePath } from "../../paths/path.ts";
import { placesOf, whenKnown } from "../../shapes/arguments.ts";
import { changedAt } from "../../shapes/place.ts";
import { byType, never, number, oneOf, type Shape } from "../../shapes/shape.ts";
import { inSlices, type Work, type WorkOwner } from "../../threads/slices.ts";
import { Failure } from "../../value/failure.ts";
import type { Json } from "../../value/json.ts";
import type { Transform } from "../feature.ts";

/** Stage 1 parses the paths. */
export const prepare = (fields: readonly (string | null)[]): readonly NodePath[] => fields.map(nodePath);

/**
 * Replaces text by the number it is. Blanks around it, a currency sign before it, a `%` behind it and commas between thousands do not
 * count: `50%` is 50. Booleans are 1 and 0, numbers and null stay, a missing field is ignored; anything else fails, also an empty text such
 * as an empty cell of CSV: `extract_with_jq` or `filter` take these out before. On an array, names are those of its elements.
 */
export function numerics(data: Json, fields: readonly NodePath[], act: WorkOwner): Json | Promise<Json> {
  return inSlices(converted(data, fields), act);
}

function* converted(data: Json, fields: readonly NodePath[]): Work<Json> {
  let out = data;
  for (const field of fields) out = yield* eachNodeWork(out, field, (value) => numberOf(value, field));
  return out;
}

/** Sign and digits, the sign on either side of the currency. */
const amount = /^(?:([+-]?)(?:[$€£¥]\s*)?|[$€£¥]\s*([+-]))((?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?|\.\d+)(e[+-]?\d+)?(?:\s*%)?$/i;

function numberOf(value: Json, field: NodePath): Json {
  if (value === null || typeof value === "number") return value;
  if (typeof value === "boolean") return Number(value);
  const [, before = "", behind = "", digits = "", exponent = ""] = (typeof value === "string" && amount.exec(value.trim())) || [];
  const number = digits === "" ? Number.NaN : Number(`${before}${behind}${digits.replaceAll(",", "")}${exponent}`);
  if (Number.isFinite(number)) return number;
  const text = typeof value === "string" ? value : JSON.stringify(value);
  throw new Failure("transform", `cannot convert "${[...text.slice(0, 80)].slice(0, 40).join("")}"${placeOf(field)} to a number`);
}

const numberShape = (value: Shape): Shape =>
  byType(value, (one) => {
    if (one.type === "boolean") return oneOf("number", [0, 1]);
    if (one.type === "string") return number;
    return one.type === "null" || one.type === "number" ? one : never;
  });

export const spec: Transform<readonly (string | null)[], readonly NodePath[]> = {
  summary: "Convert text to numbers, such as prices and percentages.",
  schema: {
    type: "array",
    items: { type: "string", context: "path", description: "Path of a text, such as `price` or `$.items[*].price`." },
    description: "Paths of the texts that are numbers; they are converted in place.",
  },
  effect: "pure",
  async: true,
  prepare,
  run: numerics,
  shape: (data, args) =>
    whenKnown(args, prepare, (fields) => fields.reduce((out: Shape, path) => changedAt(out, { path, give: numberShape }), data)),
  expects: placesOf,
};
