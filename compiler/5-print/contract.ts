import type { Json } from "#runtime/json.ts";
import type { InterfacePlan } from "#runtime/plan.ts";

/** Printed types of one interface, by interface name. */
export type ContractTypes = ReadonlyMap<string, string>;

/**
 * `Input` and `Output` of an interface as TypeScript, from `accepts`/`produces` or from its tests (decisions.md A24).
 * json-schema-to-typescript is loaded only when a contract is known: most of its cost is being loaded.
 */
export async function contractTypes(interfaces: readonly InterfacePlan[], identifier: (name: string) => string): Promise<ContractTypes> {
  const out = new Map<string, string>();
  for (const { name, contract } of interfaces) {
    const parts = [
      await declared(contract.input, `${identifier(name)}_Input`),
      await declared(contract.output, `${identifier(name)}_Output`),
    ].filter((part) => part !== "");
    if (parts.length > 0) out.set(name, parts.join("\n"));
  }
  return out;
}

async function declared(schema: Json | undefined, name: string): Promise<string> {
  if (schema === undefined || typeof schema !== "object" || schema === null || Array.isArray(schema)) return "";
  const { compile } = await import("json-schema-to-typescript");
  const text = await compile({ ...schema, title: name }, name, {
    bannerComment: "",
    format: false,
    additionalProperties: true,
    unknownAny: true,
  });
  return text.trim();
}
