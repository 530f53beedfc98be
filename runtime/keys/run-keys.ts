import { type FromFile, fromFile } from "../files/settings-file.ts";
import { masterKeyOf } from "./envelope.ts";

/**
 * The keys of `PIPEWRIGHT_RUNS_KEY`: a comma list, or `file:` and the path of a file with a comma list or one key a line. The first key
 * seals and every key opens, so that an operator can put a new key before the old one. A problem shows nothing of the keys.
 */
export function readRunKeys(source: string): FromFile<readonly Uint8Array[]> {
  const read = source.startsWith("file:") ? fromFile(source.slice("file:".length), (text) => text) : { value: source };
  if ("problem" in read) return { problem: `PIPEWRIGHT_RUNS_KEY: ${read.problem}` };
  const texts = read.value.split(/[\s,]+/).filter((text) => text !== "");
  const keys = texts.flatMap((text) => masterKeyOf(text) ?? []);
  if (keys.length > 0 && keys.length === texts.length) return { value: keys };
  return { problem: "PIPEWRIGHT_RUNS_KEY must be Base64 of 32 bytes, such as openssl rand -base64 32 prints" };
}
