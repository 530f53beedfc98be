import { Distinct, folded } from "./canonical.ts";
import { equal, matches } from "./equal.ts";
import { Failure } from "./failure.ts";
import { isObject, type Json, type JsonObject, own, typeOf } from "./json.ts";
import { unset } from "./operand.ts";
import { numeric, plainText } from "./target.ts";
import { text } from "./values.ts";

/** The operand of `contains` and `not_contains`: a scalar, a list of which one is enough, or one of two forms (spec/language 6.4). */
export type Membership =
  | { readonly any: readonly Json[] }
  | { readonly values: readonly Json[]; readonly least: Json }
  | { readonly allowed: readonly Json[] | undefined; readonly disallowed: readonly Json[] };

/**
 * Reads the operand. `isValue`: the operand is data, so that an object is one of the compared values. Its sender must not choose what the
 * test asks. Any other object than the two forms fails. The schema refuses it, but without a form everything would pass.
 */
export function membership(operand: Json, isValue = false): Membership {
  if (isValue || !isObject(operand)) return { any: list(operand) };
  const values = valuesAt(operand, "values");
  if (values !== undefined) return { values, least: own(operand, "at_least") ?? 1 };
  const allowed = valuesAt(operand, "allowed");
  const disallowed = valuesAt(operand, "disallowed");
  if (allowed !== undefined || disallowed !== undefined) return { allowed, disallowed: disallowed ?? [] };
  throw new Failure("evaluation", `field contains: expected a scalar, a list, values, allowed or disallowed, got ${typeOf(operand)}`);
}

/**
 * The detail when `at_least` is a marker that is unset: it fails both matchers, whatever they ask for. A list that is unset counts as
 * absent.
 */
export const unsetField = (operand: Json, isValue = false): string | undefined =>
  isObject(operand) && !isValue ? unset({ at_least: own(operand, "at_least") }) : undefined;

const list = (value: Json): readonly Json[] => (Array.isArray(value) ? value : [value]);

function valuesAt(operand: JsonObject, key: string): readonly Json[] | undefined {
  const value = own(operand, key) ?? null;
  return value === null ? undefined : list(value);
}

/** True when the target contains what the operand asks for. Null contains nothing. `fold` compares strings without case. */
export function holds(target: Json, operand: Membership, fold = false): boolean {
  if (target === null) return false;
  if ("any" in operand) return has(target, operand.any, fold, 1) > 0;
  if ("values" in operand) return has(target, operand.values, fold, operand.values.length) >= numeric(operand.least);
  const { allowed, disallowed } = operand;
  // Elements are compared as they are; a scalar target as `is_equal_to` does, since parameters are always text.
  if (!Array.isArray(target)) {
    const among = (part: Json, values: readonly Json[]): boolean => values.some((value) => matches(part, value, fold));
    return parts(target).every((part) => (allowed === undefined || among(part, allowed)) && !among(part, disallowed));
  }
  const [good, bad] = [new Distinct(allowed, fold), new Distinct(disallowed, fold)];
  return target.every((part) => (allowed === undefined || good.has(part)) && !bad.has(part));
}

/** The keys of an object, or the scalar itself. */
const parts = (target: Json): readonly Json[] => (isObject(target) ? Object.keys(target) : [target]);

/**
 * How many of the values are an element of an array, a key of an object, or a part of the text of a string or number; no more than `enough`
 * are counted.
 */
function has(target: Json, values: readonly Json[], fold: boolean, enough: number): number {
  const test = partOf(target, values, fold);
  let count = 0;
  for (const value of values) if (count < enough && test(value)) count += 1;
  return count;
}

/** Says of each of the values whether the target has it. Work that is the same for all values is done once. */
function partOf(target: Json, values: readonly Json[], fold: boolean): (value: Json) => boolean {
  if (Array.isArray(target)) return elementOf(target, values, fold);
  if (isObject(target) && fold) {
    const names = new Distinct(Object.keys(target), true);
    return (value) => value !== null && typeof value !== "object" && names.has(text(value));
  }
  if (isObject(target)) return (value) => value !== null && typeof value !== "object" && Object.hasOwn(target, text(value));
  const plain = plainText(target);
  const whole = fold && plain !== undefined ? folded(plain) : plain;
  return (value) => {
    if (value === null || typeof value === "object" || whole === undefined) return false;
    return whole.includes(fold ? folded(text(value)) : text(value));
  };
}

/** Goes through a long list once, for all values together. */
function elementOf(target: readonly Json[], values: readonly Json[], fold: boolean): (value: Json) => boolean {
  if (values.length === 1) return (value) => target.some((item) => equal(item, value, fold));
  const distinct = new Distinct(values, fold);
  const members = new Distinct([], fold);
  for (const item of target) {
    if (members.size === distinct.size) break;
    if (distinct.has(item)) members.add(item);
  }
  return (value) => members.has(value);
}

const scalars = ["string", "number", "boolean"];

/** The schema of both matchers. */
export const membershipSchema = {
  description: "A scalar, a list of which one is enough, `{values, at_least}`, or `{allowed, disallowed}`.",
  anyOf: [
    { type: scalars, description: "Part of a text, element of a list or key of an object." },
    { type: "array", description: "One of these is enough." },
    {
      type: "object",
      required: ["values"],
      additionalProperties: false,
      properties: {
        values: { type: "array", description: "What is looked for." },
        at_least: { type: "integer", minimum: 1, default: 1, description: "How many of the values there must be." },
      },
    },
    {
      type: "object",
      allOf: [{ anyOf: [{ required: ["allowed"] }, { required: ["disallowed"] }] }],
      additionalProperties: false,
      properties: {
        allowed: { type: "array", description: "Every element, or the scalar itself, must be one of these." },
        disallowed: { type: "array", description: "No element may be one of these." },
      },
    },
  ],
};
