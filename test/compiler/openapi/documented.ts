import { expect } from "vitest";
import { isObject, type Json, type JsonObject } from "#runtime/value/json.ts";
import { type DocumentOptions, openApi } from "../../../compiler/openapi/index.ts";
import { planTexts } from "../../../compiler/pipeline.ts";

/** The document of configurations that compile. */
export function document(configs: readonly string[], options?: DocumentOptions): JsonObject {
  const { plans, diagnostics } = planTexts(configs.map((text, i) => ({ file: `${i}.yml`, text })));
  expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
  const made = openApi(plans, options);
  if (made === undefined) throw new Error("nothing opted in");
  return made;
}

/** A configuration that opts in, with these interfaces. */
export const config = (interfaces: string, rest = ""): string =>
  `name: t\ndocs: true\n${rest}interfaces:\n${interfaces.replace(/^(?=.)/gm, "  ")}\n`;

/** The part of a document at this path. */
export function pick(value: Json, ...path: readonly string[]): Json | undefined {
  return path.reduce<Json | undefined>((at, key) => (isObject(at) ? at[key] : Array.isArray(at) ? at[Number(key)] : undefined), value);
}

/** The operation of a document with these interfaces. */
export const operation = (interfaces: string, path: string, method = "get", rest = ""): Json | undefined =>
  pick(document([config(interfaces, rest)]), "paths", path, method);
