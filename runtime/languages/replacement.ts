import { type Json, own } from "../value/json.ts";
import { text } from "../value/values.ts";
import type { Groups, Pattern } from "./pattern.ts";
import { refused } from "./regex-syntax.ts";

/** A part of a replacement: text of the configuration, or the value of a marker, which names no group. */
export type Piece = string | { readonly value: Json };

/** The replacement as text in which nothing names a group. */
export const literalOf = (pieces: readonly Piece[]): string =>
  pieces.map((piece) => (typeof piece === "string" ? piece : text(piece.value))).join("");

/** How the text in place of a match is made, and whether that needs the groups of the match. */
export interface Replacement {
  readonly withGroups: boolean;
  readonly fill: (groups: Groups) => string;
}

/** Reads a replacement for a pattern: in its written texts `$1` and `${name}` are groups, and `$$` is a dollar. */
export function replacementFor(pattern: Pattern, pieces: readonly Piece[]): Replacement {
  const parts = pieces.flatMap((piece) => (typeof piece === "string" ? partsOf(piece, pattern) : [text(piece.value)]));
  return {
    withGroups: parts.some((part) => typeof part === "number" && part > 0),
    fill: (groups) => parts.map((part) => (typeof part === "string" ? part : (groups[part] ?? ""))).join(""),
  };
}

/** Literal texts, and numbers of groups. */
function partsOf(written: string, pattern: Pattern): readonly (string | number)[] {
  return written.split(/(\$\$|\$\d+|\$\{\w+\})/).map((part, i) => (i % 2 === 0 ? part : groupOf(part, pattern)));
}

function groupOf(reference: string, { groups, names }: Pattern): string | number {
  if (reference === "$$") return "$";
  const name = reference.replace(/[${}]/g, "");
  const group = /^\d+$/.test(name) ? Number(name) : own(names, name);
  if (group === undefined || group > groups) throw refused(`new_str names '${reference}', which is no group of the pattern`);
  return group;
}
