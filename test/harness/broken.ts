import { Failure } from "#runtime/value/failure.ts";

/** Ways to break an export of the runtime: its results are altered, or it does nothing and returns undefined. */
export const mistakes: Readonly<Record<"altered" | "idle", (original: unknown) => unknown>> = { altered: broken, idle };

/**
 * Puts a mistake into an export: a function returns an altered result, mostly of the same type. In a record of functions or texts each
 * member is broken.
 */
function broken(original: unknown): unknown {
  if (typeof original === "function") return (...args: unknown[]) => altered(original(...args));
  if (isPlain(original)) return Object.fromEntries(Object.entries(original).map(([key, value]) => [key, brokenMember(value)]));
  return original;
}

const brokenMember = (value: unknown): unknown => (typeof value === "string" ? altered(value) : broken(value));

function idle(original: unknown): unknown {
  if (typeof original === "function") return () => undefined;
  return isPlain(original) ? Object.fromEntries(Object.entries(original).map(([key, value]) => [key, idle(value)])) : original;
}

/** A broken stage 1: it gets altered arguments. */
export function brokenStage(original: unknown): unknown {
  return typeof original === "function" ? (args: unknown) => original(altered(args)) : original;
}

function altered(value: unknown): unknown {
  if (value instanceof Promise) return value.then(altered);
  if (Array.isArray(value)) return [...value.map(altered), "broken"];
  if (isPlain(value)) return { ...Object.fromEntries(Object.entries(value).map(([key, item]) => [key, altered(item)])), broken: true };
  if (value === null || value === undefined || value === true) return "broken";
  if (value === false) return true;
  if (typeof value === "string") return `${value}!`;
  if (typeof value === "number") return value + 1;
  throw new Failure("evaluation", "broken");
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.getPrototypeOf(value) === Object.prototype;
