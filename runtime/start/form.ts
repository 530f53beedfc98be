import { Failure } from "../value/failure.ts";
import type { Json } from "../value/json.ts";
import { show } from "../value/show.ts";
import { boolean, integer, milliseconds, number, text } from "../value/values.ts";

/** The form of a field that is read at the start: the words of its schema that a value can violate. */
export interface StartForm {
  /** The type; absent for any value. A `list` is read from a text with commas, a `duration` is in milliseconds. */
  readonly type?: "boolean" | "integer" | "number" | "string" | "duration" | "list";
  readonly minimum?: number;
  readonly maximum?: number;
  readonly words?: readonly string[];
  /** The form of each item of a list. */
  readonly items?: StartForm;
  /** Gives the problem of a text; undefined when it is valid. */
  readonly judge?: (value: string | number) => string | undefined;
  /**
   * True when a wrong value must stop the start: without the field its record makes no sense, or an empty list would admit every caller.
   */
  readonly required?: true;
  /** True when the value comes from a secret: then a problem does not quote it. */
  readonly secret?: true;
}

/**
 * Reads one field when the process starts, by its path in the configuration. Gives null when the field is left out, or its value is wrong.
 */
export type StartField = (path: string, form: StartForm, read: () => Json) => Json;

/** The problem of a failure, for users. */
export const problemOf = ({ message }: Failure): string => message.replace(/^field (.*?): /, "'$1': ");

/** The value in the form of its field; null for a field that is left out. Throws a `Failure` with the problem. */
export function fitted(form: StartForm, value: Json, field: string): Json {
  if (value === null) {
    if (form.required) throw new Failure("evaluation", `'${field}' is unset: set what it reads, or write a ->default(…)`);
    return null;
  }
  if (form.secret) return discreet(form, value, field);
  const fit = typed(form, value, field);
  if (fit === null) return null;
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY, words, judge } = form;
  if (typeof fit === "number" && (fit < minimum || fit > maximum))
    refuse(field, `${fit} is outside ${form.minimum ?? ""}..${form.maximum ?? ""}`);
  if (words !== undefined && !words.includes(text(fit))) refuse(field, `expected one of ${words.join(", ")}, got '${show(fit)}'`);
  const problem = judge !== undefined && (typeof fit === "string" || typeof fit === "number") ? judge(fit) : undefined;
  if (problem !== undefined) refuse(field, problem);
  return fit;
}

function discreet({ secret: _, ...form }: StartForm, value: Json, field: string): Json {
  try {
    return fitted(form, value, field);
  } catch (error) {
    if (error instanceof Failure) refuse(field, `what it reads is no ${form.type ?? "such value"} that the field takes`);
    throw error;
  }
}

function typed(form: StartForm, value: Json, field: string): Json {
  const { type } = form;
  if (type === undefined) return value;
  switch (type) {
    case "boolean":
      return boolean(value, field);
    case "integer":
      return integer(value, field);
    case "number":
      return number(value, field);
    case "duration":
      return milliseconds(value, field);
    case "string":
      return typeof value === "object" ? refuse(field, `expected string, got ${Array.isArray(value) ? "array" : "object"}`) : text(value);
    case "list":
      return fittedItems(form.items ?? {}, listed(value), field);
  }
}

/** Reads the items of a list. All items that do not fit are reported at once. */
function fittedItems(form: StartForm, items: readonly Json[], field: string): Json {
  const problems: string[] = [];
  const fit = items.flatMap((item, index) => {
    try {
      return fitted(form, item, `${field}[${index}]`) ?? [];
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      problems.push(problemOf(error));
      return [];
    }
  });
  if (problems.length > 0) throw new Failure("evaluation", problems.join("; "));
  return fit;
}

/** Splits a text into a list at its commas. */
function listed(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value;
  if (typeof value !== "string") return [value];
  return value.split(",").flatMap((part) => (part.trim() === "" ? [] : [part.trim()]));
}

function refuse(field: string, problem: string): never {
  throw new Failure("evaluation", `'${field}': ${problem}`);
}
