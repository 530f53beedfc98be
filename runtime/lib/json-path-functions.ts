import { Reject } from "../failure.ts";
import { isObject, type Json } from "../json.ts";
import { count } from "../values.ts";
import { equal } from "./equal.ts";
import type { Walk } from "./nodes.ts";
import type { Pattern } from "./pattern.ts";
import { compile } from "./regex.ts";

// Comparisons and functions of filters (RFC 9535 2.3.5 and 2.4). Undefined is the RFC's `Nothing`.

type Operand = Json | undefined;

/** The comparisons by their sign. Values of two types, or without an order, are neither less nor greater. */
export const comparisons: Readonly<Record<string, (left: Operand, right: Operand) => boolean>> = {
  "==": same,
  "!=": (left, right) => !same(left, right),
  "<": less,
  "<=": (left, right) => less(left, right) || same(left, right),
  ">": (left, right) => less(right, left),
  ">=": (left, right) => less(right, left) || same(left, right),
};

function same(left: Operand, right: Operand): boolean {
  return left === undefined || right === undefined ? left === right : equal(left, right);
}

function less(left: Operand, right: Operand): boolean {
  if (typeof left === "number") return typeof right === "number" && left < right;
  return typeof left === "string" && typeof right === "string" && isBefore(left, right);
}

/** Order by code points. JavaScript compares UTF-16 units, in which U+10000 and above come before U+E000. */
function isBefore(left: string, right: string): boolean {
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) {
    const [a, b] = [left.charCodeAt(i), right.charCodeAt(i)];
    if (a !== b) return rank(a) < rank(b);
  }
  return left.length < right.length;
}

/** Puts surrogates above the units of single code points. */
const rank = (unit: number): number => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit);

/** `length()`: characters, elements or members; nothing for anything else. */
export function lengthOf(value: Operand): Operand {
  return typeof value === "string" || Array.isArray(value) || isObject(value) ? count(value) : undefined;
}

/** `match()`, of the whole text, or `search()`, for a pattern that is written in the path: it is compiled in stage 1. */
export function literalTest(literal: string, whole: boolean): (text: Operand) => boolean {
  const pattern = regexp(literal, whole);
  return (text) => typeof text === "string" && (pattern?.test(text) ?? false);
}

const mostPatterns = 256;

/** The same for patterns that come out of the data: each is compiled once in a walk. */
export function patternTest(whole: boolean): (text: Operand, pattern: Operand, walk: Walk) => boolean {
  const known = new WeakMap<Walk, Map<string, Pattern | undefined>>();
  return (text, pattern, walk) => {
    if (typeof text !== "string" || typeof pattern !== "string") return false;
    const patterns = known.get(walk) ?? new Map<string, Pattern | undefined>();
    known.set(walk, patterns);
    const compiled = patterns.has(pattern) ? patterns.get(pattern) : regexp(pattern, whole);
    if (patterns.size < mostPatterns) patterns.set(pattern, compiled);
    return compiled?.test(text) ?? false;
  };
}

/**
 * An I-Regexp as our engine writes it: a dot is neither LF nor CR (RFC 9485 5.3). One that does not compile matches nothing (RFC 9535 2.4.6).
 */
function regexp(pattern: string, whole: boolean): Pattern | undefined {
  const text = pattern.replace(/\\.|\[(?:\\.|[^\]\\])*\]|\./gs, (part) => (part === "." ? "[^\\n\\r]" : part));
  try {
    return compile(whole ? `^(?:${text})$` : text);
  } catch (error) {
    if (error instanceof Reject) return undefined;
    throw error;
  }
}
