import type { ValidateFunction } from "ajv/dist/2020.js";
import { bare, schemaCompiler } from "#runtime/languages/schema/compiler.ts";
import type { InterfacePlan } from "#runtime/plan/index.ts";
import type { Json } from "#runtime/value/json.ts";
import type { SeenAnswer } from "./seen-answer.ts";

/** Validators by their schemas: `verify` checks thousands of answers with each. */
const validators = new WeakMap<object, ValidateFunction>();

/** Sentences that name the places at which a value does not fit `accepts.schema` or `produces.schema`. */
export function unfit(value: Json | undefined, schema: Json | undefined, contract: "accepts" | "produces", what: string): string[] {
  if (value === undefined || schema === undefined) return [];
  const validate = validatorOf(schema);
  if (validate(value)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message = "" }) => `${what} does not fit ${contract}.schema: ${`${instancePath} ${message}`.trim()}`,
  );
}

/**
 * Sentences that name the places at which a successful answer breaks `produces.enforce`. The contract does not apply to an early answer.
 */
export function unfitAnswer({ status, body }: SeenAnswer, { silence, contract }: InterfacePlan): string[] {
  const isHeld = contract.enforced !== undefined && silence !== true && status > 0 && status < 400 && status !== 202;
  return isHeld ? unfit(body, contract.output, "produces", "the answer") : [];
}

function validatorOf(schema: Json): ValidateFunction {
  if (typeof schema !== "object" || schema === null) return schemaCompiler(schema).compile(bare(schema));
  const validate = validators.get(schema) ?? schemaCompiler(schema).compile(bare(schema));
  validators.set(schema, validate);
  return validate;
}
