import { readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { isObject, type Json, type JsonObject, put } from "../json.ts";

/** What a file of settings gave, or why it could not be read: a sentence for the person who starts the process. */
export type FromFile<V> = { readonly value: V } | { readonly problem: string };

/** Managed variables of a YAML file: a map of names to values. */
export async function readVariables(file: string): Promise<FromFile<JsonObject>> {
  const { parse } = await import("yaml");
  const read = attempt(file, (text) => parse(text) as Json); // YAML without custom tags gives JSON values
  if ("problem" in read) return read;
  const value = read.value ?? {};
  if (!isObject(value)) return { problem: `${file} must be a YAML map of names to values` };
  const sealed = Object.keys(value).find((name) => isSealed(value[name]));
  return sealed === undefined
    ? { value }
    : { problem: `${file}: ${sealed} is sealed, which this version cannot open; give it as plain text` };
}

/** Environment variables of a `.env` file. */
export function readDotenv(file: string): FromFile<Readonly<Record<string, string>>> {
  return attempt(file, (text) => {
    const found: Record<string, string> = {};
    for (const [name, value] of Object.entries(parseEnv(text))) if (value !== undefined) put(found, name, value);
    return found;
  });
}

function attempt<V>(file: string, parse: (text: string) => V): FromFile<V> {
  try {
    return { value: parse(readFileSync(file, "utf8")) };
  } catch (error) {
    // The first line names the file or the place in it; a YAML parser quotes the file's text below.
    const [reason] = error instanceof Error ? error.message.split("\n") : [String(error)];
    return { problem: `${file} cannot be read: ${reason}` };
  }
}

const isSealed = (value: Json | undefined): boolean => isObject(value) && Object.keys(value).join() === "sealed";
