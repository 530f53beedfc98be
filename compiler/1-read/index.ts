import { yaml } from "../diagnostics/codes/yaml.ts";
import type { Report } from "../diagnostics/diagnostic.ts";
import type { Document } from "./document.ts";
import { parse, parseAnyhow } from "./syntax.ts";
import { tree, treeAnyhow } from "./tree.ts";

/** Largest configuration file in bytes (spec/language 1.1). */
export const sizeLimit = 5 * 1024 * 1024;

/** The most lines of a file: the parser takes a thousand times as long for an empty line as for a character. */
const lineLimit = 250_000;

/**
 * Phase 1: the text of one file as a tree of values with their places (spec/language 1.1). Undefined when it is no YAML or beyond the
 * limits.
 */
export function read(text: string, file: string, report: Report): Document | undefined {
  if (text.length > sizeLimit) {
    report(yaml.tooLarge("file", "5 MiB"), { file, start: 0, end: 0 });
    return undefined;
  }
  const excess = lineBeyond(text, lineLimit);
  if (excess !== undefined) {
    report(yaml.tooLarge("lines", "250,000 lines"), { file, start: excess, end: excess });
    return undefined;
  }
  const parsed = parse(text, file, report);
  if (parsed === undefined) return undefined;
  const root = tree(parsed, text, file, report);
  return root === undefined ? undefined : { file, text, root };
}

/**
 * The tree of a text that a user is typing in an editor: mistakes are left out, and nothing is reported. With `here`, lines with mistakes
 * are left out, but for the line of this offset. Undefined beyond the limits.
 */
export function readAnyhow(text: string, file: string, here?: number): Document | undefined {
  if (text.length > sizeLimit || lineBeyond(text, lineLimit) !== undefined) return undefined;
  const document = parseAnyhow(text, here);
  return document === undefined ? undefined : { file, text, root: treeAnyhow(document, text, file) };
}

/** The offset of the first line beyond the limit. */
function lineBeyond(text: string, most: number): number | undefined {
  let end = -1;
  for (let lines = 1; lines <= most; lines++) {
    end = text.indexOf("\n", end + 1);
    if (end === -1) return undefined;
  }
  return end + 1;
}

/** The text of a file. A text with a wrong encoding is only shown in diagnostics: parsing it would report consequences of its encoding. */
export interface Decoded {
  readonly text: string;
  readonly valid: boolean;
}

/** Text of a file's bytes without byte order mark. Bytes that are no UTF-8 are reported, and shown as U+FFFD or as UTF-16. */
export function decode(bytes: Uint8Array, file: string, report: Report): Decoded {
  const wide = wideEncoding(bytes);
  if (wide !== undefined) {
    report(yaml.notUtf8("UTF-16"), { file, start: 0, end: 1 });
    return { text: new TextDecoder(wide).decode(bytes), valid: false };
  }
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), valid: true };
  } catch {
    const text = new TextDecoder("utf-8").decode(bytes);
    const start = Math.max(0, text.indexOf("\ufffd"));
    report(yaml.notUtf8(), { file, start, end: start + 1 });
    return { text, valid: false };
  }
}

/** UTF-16 by its byte order mark, or by a zero in one of the first two bytes; undefined for any other text. */
function wideEncoding([first, second]: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  if (first === undefined || second === undefined) return undefined;
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0)) return "utf-16le";
  return (first === 0xfe && second === 0xff) || (first === 0 && second !== 0) ? "utf-16be" : undefined;
}
