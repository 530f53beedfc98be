import type { Reading } from "../features/feature.ts";
import { isObject, type Json } from "./json.ts";
import { show } from "./show.ts";
import { isJsonNumber } from "./values.ts";

// Ways in which an ordering matcher reads its target, when the compiler knows more of the target than its type. Without a reading the
// matcher uses `measure` of value/target.ts.

/** Reads a text of a transport that has only texts, such as a query: the whole text must be a JSON number. */
export const text_number: Reading = { size: (target) => (typeof target === "string" ? numberIn(target, show) : numberOf(target)) };

/** Reads a number from a secret. */
export const secret_number: Reading = {
  size: (target) => (typeof target === "string" ? numberIn(target, () => "***") : numberOf(target)),
  hidden: true,
};

/** A member of a body that the contract of the interface calls a number. */
export const contract_number: Reading = {
  size: (target) => (typeof target === "string" ? refused(quoted(show(target))) : numberOf(target)),
};

/** A member of a body that the contract of the interface calls an integer. */
export const contract_integer: Reading = {
  size: (target) => {
    const size = contract_number.size(target);
    return typeof size === "number" && Number.isFinite(size) && !Number.isInteger(size) ? `expected an integer, found ${size}` : size;
  },
};

/** Reads a text of a transport that has only texts: `true` is 1 and `false` is 0. */
export const text_boolean: Reading = {
  size: (target) => (target === "true" || target === true ? 1 : target === "false" || target === false ? 0 : Number.NaN),
};

/** The readings by the names that a plan has for them. */
export const readings = { text_number, secret_number, contract_number, contract_integer, text_boolean } satisfies Readonly<
  Record<string, Reading>
>;

/** The number of a text. Digits beyond a double would read as infinity, which JSON cannot hold. */
function numberIn(text: string, name: (text: string) => string): number | string {
  const number = isJsonNumber(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : refused(quoted(name(text)));
}

function numberOf(target: Exclude<Json, string>): number | string {
  if (typeof target === "number") return target;
  if (target === null) return Number.NaN;
  return refused(Array.isArray(target) ? "a list" : isObject(target) ? "an object" : String(target));
}

const quoted = (text: string): string => `"${text}"`;

const refused = (type: string): string => `expected a number, found ${type}`;
