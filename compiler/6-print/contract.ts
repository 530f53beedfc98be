import type { InterfacePlan } from "#runtime/plan/index.ts";
import { isObject, type Json } from "#runtime/value/json.ts";
import { type Code, empty, list } from "./code.ts";
import { Names, pascal } from "./names.ts";
import { schemaTypes } from "./types/schema-type.ts";

/** The printed types of one interface: their text, and the names of the types for input and output, if they are known. */
export interface ContractType {
  readonly text: Code;
  readonly input?: Code;
  readonly output?: Code;
}

/** All words in the text of the types, which include the names of the types. */
export const wordsOf = ({ text }: ContractType): readonly string[] => text.match(/\w+/g) ?? [];

/** Printed types by interface name. */
export type ContractTypes = ReadonlyMap<string, ContractType>;

/** `Input` and `Output` of an interface as TypeScript, from `accepts`/`produces` or from its tests (spec/language 7.10). */
export function contractTypes(interfaces: readonly InterfacePlan[], names = new Names([])): ContractTypes {
  const chosen = interfaces.map(({ name }) => [names.fresh(`${pascal(name)}Input`), names.fresh(`${pascal(name)}Output`)] as const);
  const out = new Map<string, ContractType>();
  for (const [i, { name, contract }] of interfaces.entries()) {
    const [input = empty, output = empty] = chosen[i] ?? [];
    const parts = [
      ...(isShown(contract.input) ? [schemaTypes(contract.input, input, names)] : []),
      ...(isShown(contract.output) ? [schemaTypes(contract.output, output, names)] : []),
    ];
    if (parts.length === 0) continue;
    out.set(name, {
      text: list(parts, "\n\n"),
      ...(isShown(contract.input) ? { input } : {}),
      ...(isShown(contract.output) ? { output } : {}),
    });
  }
  return out;
}

/** True for a schema that becomes a type. A schema with only `not` does not. */
const isShown = (schema: Json | undefined): schema is Json =>
  isObject(schema) && !(schema.not !== undefined && Object.keys(schema).every((key) => key === "not"));
