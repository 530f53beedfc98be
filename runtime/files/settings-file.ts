import { parseEnv } from "node:util";
import { put } from "../value/json.ts";
import { codeOf } from "../value/thrown.ts";
import { readNamed, readRegularSync } from "./regular-file.ts";

/** Most bytes of a file of settings; a configuration may have as many. */
const mostBytes = 5 * 1024 * 1024;

/** The content of a file of settings, or why it could not be read: a sentence for the person who starts the process. */
export type FromFile<V> = { readonly value: V } | { readonly problem: string; readonly isMissing?: true };

/** Environment variables of a `.env` file. */
export function readDotenv(file: string): FromFile<Readonly<Record<string, string>>> {
  return fromFile(file, (text) => {
    const variables: Record<string, string> = {};
    for (const [name, value] of Object.entries(parseEnv(text))) if (value !== undefined) put(variables, name, value);
    return variables;
  });
}

/** Reads and parses a regular file of at most `most` bytes. */
export function fromFile<V>(file: string, parse: (text: string) => V, most = mostBytes): FromFile<V> {
  try {
    return { value: parse(textOf(readRegularSync(file, most))) };
  } catch (error) {
    return unread(file, error);
  }
}

/** Reads and parses a file that the user has named, which may be a pipe. */
export async function fromNamed<V>(file: string, parse: (text: string) => V): Promise<FromFile<V>> {
  try {
    return { value: parse(textOf(await readNamed(file, mostBytes))) };
  } catch (error) {
    return unread(file, error);
  }
}

/** The text of a file without its byte order mark, which would be a part of the first name. */
const textOf = (bytes: Buffer): string => bytes.toString("utf8").replace(/^\uFEFF/, "");

function unread(file: string, error: unknown): { readonly problem: string; readonly isMissing?: true } {
  if (codeOf(error) === "ENOENT") return { problem: `${file} cannot be read: there is no such file`, isMissing: true };
  // The first line names the file or the place in it; a YAML parser quotes the file's text below.
  const [reason] = error instanceof Error ? error.message.split("\n") : [String(error)];
  return { problem: `${file} cannot be read: ${reason}` };
}
