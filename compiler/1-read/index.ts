import { yaml } from "../diagnostics/codes/file.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import type { Document } from "./document.ts";
import { parse } from "./syntax.ts";
import { tree } from "./tree.ts";

/** Largest configuration file in bytes (durability-and-security.md T15). */
export const sizeLimit = 5 * 1024 * 1024;

/** Phase 1: the text of one file as a tree of values with their places (language.md 1.1). Undefined when it is no YAML or beyond the limits. */
export function read(text: string, file: string, report: Report): Document | undefined {
  if (text.length > sizeLimit) {
    report(yaml.tooLarge("file", "5 MiB"), { file, start: 0, end: 0 });
    return undefined;
  }
  const parsed = parse(text, file, report);
  if (parsed === undefined) return undefined;
  const root = tree(parsed, text, file, report);
  return root === undefined ? undefined : { file, text, root };
}

/** Text of a file's bytes without byte order mark; bytes that are no UTF-8 are reported and shown as U+FFFD. */
export function decode(bytes: Uint8Array, file: string, report: Report): { readonly text: string; readonly valid: boolean } {
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), valid: true };
  } catch {
    const text = new TextDecoder("utf-8").decode(bytes);
    const start = Math.max(0, text.indexOf("\ufffd"));
    report(yaml.notUtf8(), { file, start, end: start + 1 });
    return { text, valid: false };
  }
}
