import { isObject, type Json, type JsonObject } from "../../value/json.ts";

/**
 * A value that a printed validator reads, or one of its own findings. Its type is unchecked: the code of ajv tests each value before it
 * reads it.
 */
export type Unchecked = ReturnType<typeof JSON.parse>;

/** One finding of a validator, as ajv writes it. */
export interface Finding {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: JsonObject;
  /** The name of the member, when the name is wrong and not a value. */
  readonly propertyName?: string;
  readonly message: string;
}

declare const input: unique symbol;

/** A JSON Schema as code, which ajv has written when the module was printed. `Input` is the type of what it takes, where that is known. */
export interface Validator<Input = unknown> {
  (value: Json): boolean;
  readonly errors?: readonly Finding[] | null;
  /** Never set: it only tells the type checker the type of the input. */
  readonly [input]?: Input;
}

/** Makes a validator of a function that gives the findings of a value, or null when there are none. */
export function validator<Input>(findingsOf: (data: Unchecked) => Finding[] | null): Validator<Input> {
  const validate: Validator<Input> & { errors?: Finding[] | null } = (value: Json): boolean => {
    validate.errors = findingsOf(value);
    return validate.errors === null;
  };
  return validate;
}

/** Most findings that are kept: more help no reader, and a large body could have one for each of its values. */
const most = 1000;

/** Without a type guard: the members of an unchecked object are unchecked, too. */
export const isAnyObject = (value: Unchecked): boolean => isObject(value);

/**
 * Adds a finding to the list. Beyond the bound the finding is only counted, by the validator. The validator may set the length of the list
 * back to an earlier count, so the list may have holes.
 */
export function noted(findings: Unchecked, finding: Finding): Unchecked {
  if (findings === null) return [finding];
  if (findings.length < most) findings.push(finding);
  return findings;
}

/** Adds the findings of a part to the list. */
export function joined(findings: Unchecked, more: readonly Finding[]): Unchecked {
  return more.reduce<Unchecked>(noted, findings);
}
