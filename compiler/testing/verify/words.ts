import { isObject, type Json } from "#runtime/value/json.ts";
import type { AnalysedInterface } from "../../5-analyse/analysed.ts";
import type { Words } from "./values.ts";

/** Texts with a special meaning in parts of the language, beside the texts in a configuration. */
const usualTexts = [
  ...["", "a", "id", "7", "-1.5", "true", "null", "a b/c?d=e", "é😀", "2024-02-29", "2024-02-29T10:00:00Z", "ada@example.com"],
  ...["3f0b8f0e-5e0d-4f0a-9d3c-2f1a5b6c7d8e", "https://a.test/x", "'; --", "__proto__", '{"a":[1,null]}', "a,b\n1,2", "<a>1</a>", "e30="],
];
const usualNumbers = [0, 1, -1, 2, 0.5, 10, 100, -0.1, 1e21, 9007199254740991];
const usualNames = ["id", "name", "a", "__proto__"];

/** The longest text that is made for a bound of a length. */
const longestText = 100;

/**
 * The words of an interface: all names in its plan and its contract, and all numbers, each with its neighbours, because a number may be a
 * bound.
 */
export function wordsOf(plan: AnalysedInterface): Words {
  const names = new Set(usualNames);
  const texts = new Set(usualTexts);
  const numbers = new Set(usualNumbers);
  const own = new Set<string | number>();
  const take = (value: Json): void => {
    if (typeof value === "string" || typeof value === "number") own.add(value);
    if (typeof value === "number") for (const each of [value, value - 1, value + 1]) numbers.add(each);
    if (typeof value === "string") {
      texts.add(value);
      for (const part of value.split(/[.[\]]+/)) if (/^[A-Za-z_]\w*$/.test(part)) names.add(part);
    }
    if (Array.isArray(value)) value.forEach(take);
    else if (isObject(value))
      for (const [name, inner] of Object.entries(value)) {
        names.add(name);
        take(inner);
      }
  };
  visit(plan, (node) => {
    if (node.op === "lit") take(node.value as Json); // a literal of a plan holds JSON
    if (Array.isArray(node.path)) for (const step of node.path) if (typeof step === "string") names.add(step);
  });
  const { input = null, params = null, input_example = null } = plan.contract;
  for (const part of [input, params, input_example]) take(part);
  for (const length of numbers) if (Number.isInteger(length) && length > 1 && length <= longestText) texts.add("x".repeat(length));
  return { names: [...names], texts: [...texts], numbers: [...numbers], own: [...own] };
}

/** Calls `see` with every object of a plan, except facts of the compiler. */
export function visit(part: unknown, see: (node: Readonly<Record<string, unknown>>) => void): void {
  if (typeof part !== "object" || part === null || part instanceof Map) return;
  if (!Array.isArray(part)) see(part as Readonly<Record<string, unknown>>);
  for (const [key, inner] of Object.entries(part)) if (key !== "shapes" && key !== "contract" && key !== "uses") visit(inner, see);
}
