import anyAscii from "any-ascii";
import type { Work } from "../threads/slices.ts";

/**
 * A text as part of an address: small letters, digits and single hyphens. Every script is written in ASCII (spec/transforms 4); every run
 * of other characters is one hyphen, none at the ends. May be empty.
 */
export const slug = (text: string): string => trimmed(hyphenated(text));

/** Makes the slug of a long text, as work that can be done in slices. */
export function* slugWork(text: string): Work<string> {
  const parts: string[] = [];
  for (let from = 0; from < text.length; ) {
    const end = endOfPiece(text, from + piece);
    parts.push(hyphenated(text.slice(from, end)));
    from = end;
    yield;
  }
  return trimmed(parts.join("").replace(/--+/g, "-"));
}

/** Characters of one piece, which takes some milliseconds. */
export const piece = 20_000;

const hyphenated = (text: string): string =>
  anyAscii(text.normalize("NFC"))
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-");

const trimmed = (text: string): string => text.replace(/^-|-$/g, "");

/** Matches before a character that never combines with the one before it: an ASCII character or an ideograph. */
function endOfPiece(text: string, least: number): number {
  const start = /[\0-\x7f\u4e00-\u9fff]/g;
  start.lastIndex = least;
  return least < text.length && start.test(text) ? start.lastIndex - 1 : text.length;
}
