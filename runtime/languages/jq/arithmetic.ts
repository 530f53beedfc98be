import { isObject, type Json, type JsonObject, own, put } from "../../value/json.ts";
import { failOn, failOnBoth } from "./dump.ts";
import { merged } from "./objects.ts";
import { equal } from "./order.ts";
import { deepest, giveUp, spend, spendText } from "./signals.ts";

/** Leaves a result beyond a double to jq, which bounds such numbers in its own way. */
const finite = (value: number): number => (Number.isFinite(value) ? value : giveUp());

/** For jq a negative zero of the data is written as zero: where the sign would matter, jq itself gives the result. */
const signed = (value: number): number => (Object.is(value, -0) ? giveUp() : value);

/** `+`: numbers, text, lists, objects; null adds nothing. */
export function plus(left: Json, right: Json): Json {
  if (typeof left === "number" && typeof right === "number") return finite(left + right);
  if (left === null) return right;
  if (right === null) return left;
  if (typeof left === "string" && typeof right === "string") {
    spendText(right.length);
    return left + right;
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    spend(left.length + right.length);
    return left.concat(right);
  }
  if (isObject(left) && isObject(right)) return merged(left, right);
  return failOnBoth(left, right, "cannot be added");
}

/** `-`: numbers; of two lists, the items of the left one that the right one does not have. */
export function minus(left: Json, right: Json): Json {
  if (typeof left === "number" && typeof right === "number") return finite(left - right);
  if (Array.isArray(left) && Array.isArray(right)) {
    spend(left.length * right.length);
    return left.filter((item) => !right.some((other) => equal(item, other)));
  }
  return failOnBoth(left, right, "cannot be subtracted");
}

/** `*`: numbers; a text, repeated as often as the number says; objects, merged in depth. */
export function times(left: Json, right: Json): Json {
  if (typeof left === "number" && typeof right === "number") return finite(signed(left) * signed(right));
  if (isObject(left) && isObject(right)) return mergedDeeply(left, right, 0);
  if (typeof left === "string" ? typeof right === "number" : typeof right === "string" && typeof left === "number") return giveUp();
  return failOnBoth(left, right, "cannot be multiplied");
}

function mergedDeeply(left: JsonObject, right: JsonObject, depth: number): JsonObject {
  if (depth > deepest) giveUp();
  const changes: JsonObject = {};
  for (const [key, value] of Object.entries(right)) {
    const before = own(left, key);
    put(changes, key, isObject(before) && isObject(value) ? mergedDeeply(before, value, depth + 1) : value);
  }
  return merged(left, changes);
}

/** `/`: numbers; text is split. */
export function divided(left: Json, right: Json): Json {
  if (typeof left === "number" && typeof right === "number") {
    if (right === 0) return failOnBoth(left, right, "cannot be divided because the divisor is zero");
    return finite(signed(left) / right);
  }
  if (typeof left === "string" && typeof right === "string") return giveUp();
  return failOnBoth(left, right, "cannot be divided");
}

/** `%`: of whole numbers, the sign is that of the left. */
export function remainder(left: Json, right: Json): Json {
  if (typeof left !== "number" || typeof right !== "number") return failOnBoth(left, right, "cannot be divided (remainder)");
  if (!isWhole(left) || !isWhole(right)) giveUp();
  if (Math.trunc(right) === 0) return failOnBoth(left, right, "cannot be divided (remainder) because the divisor is zero");
  return Math.trunc(left) % Math.trunc(right) || 0;
}

const isWhole = (value: number): boolean => Math.abs(value) <= Number.MAX_SAFE_INTEGER;

/** `-f` */
export function negative(value: Json): Json {
  return typeof value === "number" ? -signed(value) : failOn(value, "cannot be negated");
}

function rounded(how: (value: number) => number): (value: Json) => Json {
  return (value) => (typeof value === "number" ? finite(how(value)) : failOn(value, "number required"));
}

export const floor = rounded(Math.floor);
export const ceil = rounded(Math.ceil);
export const sqrt = rounded((value) => (value < 0 ? giveUp() : Math.sqrt(value)));
/** `round`: halves are rounded away from zero. */
export const round = rounded((value) => Math.sign(value) * Math.round(Math.abs(value)));
export const abs = (value: Json): Json => {
  if (typeof value !== "number") return giveUp();
  return value < 0 ? -value : value;
};
