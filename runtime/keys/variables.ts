import { type FromFile, fromFile, fromNamed } from "../files/settings-file.ts";
import type { YamlFault } from "../formats/yaml.ts";
import type { Variables } from "../process/host.ts";
import { isObject, type Json, type JsonObject } from "../value/json.ts";
import { baseSlot, dataKeyName, isSealed, type Owner, openDataKey, openValue } from "./envelope.ts";

/** A file of managed variables as it is written: names to values, sealed ones still closed, and the sealed data key. */
export interface FileContent {
  readonly values: JsonObject;
  readonly dataKey?: string;
}

export interface VariableFile extends FileContent {
  readonly file: string;
}

/** Reads a YAML map of names to values. With `isNamed` the user has named the file, which may then be a pipe. */
export async function readVariables(file: string, { isNamed = false } = {}): Promise<FromFile<VariableFile>> {
  const { ownFile, readYaml } = await import("../formats/yaml.ts");
  const parsed = (text: string): Json => variablesIn(readYaml(text, ownFile), text);
  const read = isNamed ? await fromNamed(file, parsed) : fromFile(file, parsed);
  if ("problem" in read) return read;
  const content = fileContent(read.value ?? {}, file);
  return "problem" in content ? content : { value: { file, ...content.value } };
}

/** The value of a file of variables. A reason may quote the text, which holds secrets, so that only the line is named. */
export function variablesIn(read: { readonly value: Json } | YamlFault, text: string): Json {
  if ("value" in read) return read.value;
  const line = read.at === undefined ? "" : ` (line ${text.slice(0, read.at).split("\n").length})`;
  throw new Error(`it is not valid YAML, or beyond the limits of a configuration${line}`);
}

/** The variables of a parsed file, and its data key. */
export function fileContent(value: Json, file: string): FromFile<FileContent> {
  if (!isObject(value)) return { problem: `${file} must be a YAML map of names to values` };
  const { [dataKeyName]: dataKey, ...values } = value;
  if (dataKey !== undefined && typeof dataKey !== "string") return { problem: `${file}: ${dataKeyName} must be a text` };
  return { value: { values, ...(dataKey === undefined ? {} : { dataKey }) } };
}

/** The environment whose variables are opened, and the master key that opens them. */
export interface Opener {
  readonly organisation: string;
  readonly environment: string;
  readonly master: Uint8Array | undefined;
}

/**
 * The variables of all files together; when several files have the same name, the last one counts. A sealed value is opened when it is
 * first read: a missing or wrong key affects no plain values (spec/surfaces 11).
 */
export function openVariables(files: readonly VariableFile[], opener: Opener): Variables {
  const entries = files.flatMap(({ values, dataKey }) => {
    const key = dataKey === undefined ? undefined : once(() => keyOf(dataKey, opener));
    return Object.entries(values).map(([name, value]) => [name, isSealed(value) ? once(() => open(name, value, key?.())) : value] as const);
  });
  return Object.fromEntries(entries);
}

interface OpenKey {
  readonly key: Uint8Array;
  readonly owner: Owner;
}

/** The key of a file. A file belongs to the environment or to all of them: its data key opens only for the right owner. */
function keyOf(dataKey: string, { organisation, environment, master }: Opener): OpenKey | undefined {
  if (master === undefined) return undefined;
  for (const slot of [environment, baseSlot]) {
    const owner = { organisation, slot };
    const key = openDataKey(dataKey, master, owner);
    if (key !== undefined) return { key, owner };
  }
  return undefined;
}

const open = (name: string, value: Parameters<typeof openValue>[1], key: OpenKey | undefined): Json | undefined =>
  key === undefined ? undefined : openValue(name, value, key.key, key.owner);

function once<V>(make: () => V): () => V {
  let holder: { readonly value: V } | undefined;
  return () => {
    holder ??= { value: make() };
    return holder.value;
  };
}

/** The names whose values are sealed and cannot be opened, for a warning at the start. */
export const unopened = (variables: Variables): readonly string[] =>
  Object.entries(variables).flatMap(([name, value]) => (typeof value === "function" && value() === undefined ? [name] : []));
