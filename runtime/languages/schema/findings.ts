import { isObject, type Json, type JsonObject } from "../../value/json.ts";

/** A value that a printed validator reads, or one of its own findings: ajv decides what is there before it looks. */
export type Unchecked = ReturnType<typeof JSON.parse>;

/** One finding of a validator, as ajv writes it. */
export interface Finding {
  readonly instancePath: string;
  readonly keyword: string;
  readonly params: JsonObject;
  /** The name that is wrong, where no value is. */
  readonly propertyName?: string;
  readonly message: string;
}

declare const input: unique symbol;

/** A JSON Schema as code, which ajv has written when the module was printed. `Input` is the type of what it takes, where that is known. */
export interface Validator<Input = unknown> {
  (value: Json): boolean;
  readonly errors?: readonly Finding[] | null;
  /** For the type checker alone. */
  readonly [input]?: Input;
}

/** A validator that looks for findings, and gives null where it has none. */
export function validator<Input>(findingsOf: (data: Unchecked) => Finding[] | null): Validator<Input> {
  const validate: Validator<Input> & { errors?: Finding[] | null } = (value: Json): boolean => {
    validate.errors = findingsOf(value);
    return validate.errors === null;
  };
  return validate;
}

/** More findings help nobody, and a large body could have one for each of its values. */
const most = 1000;

/** Without a type guard: the members of an unchecked object are unchecked, too. */
export const isAnyObject = (value: Unchecked): boolean => isObject(value);

/**
 * Adds a finding to the list. Beyond the bound only the validator counts, and it may shorten the list to an earlier count: the list may
 * have holes.
 */
export function noted(findings: Unchecked, finding: Finding): Unchecked {
  if (findings === null) return [finding];
  if (findings.length < most) findings.push(finding);
  return findings;
}

/** The findings with those of a part. */
export function joined(findings: Unchecked, more: readonly Finding[]): Unchecked {
  return more.reduce<Unchecked>(noted, findings);
}
