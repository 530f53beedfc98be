import { compile } from "../languages/regex.ts";
import { same } from "../value/equal.ts";
import { Reject } from "../value/failure.ts";
import { isObject, type Json } from "../value/json.ts";
import { count } from "../value/values.ts";
import { visit, type Walk } from "./nodes.ts";

// Comparisons and functions of filters (RFC 9535 2.3.5 and 2.4). Undefined is the RFC's `Nothing`.

type Operand = Json | undefined;

/** Characters of a text that are compared in the time of one visit. */
const characters = 4;

/** The comparisons by their sign. Values of two types, or without an order, are neither less nor greater. */
export const comparisons: Readonly<Record<string, (left: Operand, right: Operand, walk: Walk) => boolean>> = {
  "==": equal,
  "!=": (left, right, walk) => !equal(left, right, walk),
  "<": less,
  "<=": (left, right, walk) => less(left, right, walk) || equal(left, right, walk),
  ">": (left, right, walk) => less(right, left, walk),
  ">=": (left, right, walk) => less(right, left, walk) || equal(left, right, walk),
};

function equal(left: Operand, right: Operand, walk: Walk): boolean {
  return left === undefined || right === undefined ? left === right : same(left, right, () => visit(walk));
}

function less(left: Operand, right: Operand, walk: Walk): boolean {
  if (typeof left === "number") return typeof right === "number" && left < right;
  if (typeof left !== "string" || typeof right !== "string") return false;
  visit(walk, Math.min(left.length, right.length) / characters);
  return isBefore(left, right);
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
export function lengthOf(value: Operand, walk: Walk): Operand {
  if (typeof value === "string") visit(walk, value.length / characters);
  return typeof value === "string" || Array.isArray(value) || isObject(value) ? count(value) : undefined;
}

/** `match()`, of the whole text, or `search()`, for a pattern that is written in the path: it is compiled in stage 1. */
export function literalTest(literal: string, whole: boolean): (text: Operand, walk: Walk) => boolean {
  const pattern = regexp(literal, whole);
  return (text, walk) => typeof text === "string" && (pattern?.(text, walk) ?? false);
}

const mostPatterns = 256;
const visitsToCompile = 1000;
/** Instructions of a pattern that run in the time of one visit. */
const instructions = 32;

type Test = (text: string, walk: Walk) => boolean;

/** Tests patterns that come out of the data: each is compiled once in a walk. */
export function patternTest(whole: boolean): (text: Operand, pattern: Operand, walk: Walk) => boolean {
  const patternsOf = new WeakMap<Walk, Map<string, Test | undefined>>();
  return (text, pattern, walk) => {
    if (typeof text !== "string" || typeof pattern !== "string") return false;
    const patterns = patternsOf.get(walk) ?? new Map<string, Test | undefined>();
    patternsOf.set(walk, patterns);
    if (!patterns.has(pattern)) visit(walk, visitsToCompile);
    const test = patterns.has(pattern) ? patterns.get(pattern) : regexp(pattern, whole);
    if (patterns.size < mostPatterns) patterns.set(pattern, test);
    return test?.(text, walk) ?? false;
  };
}

/**
 * An I-Regexp as our engine writes it: a dot is neither LF nor CR (RFC 9485 5.3). One that does not compile matches nothing (RFC 9535
 * 2.4.6).
 */
function regexp(pattern: string, whole: boolean): Test | undefined {
  const text = pattern.replace(/\\.|\[(?:\\.|[^\]\\])*\]|\./gs, (part) => (part === "." ? "[^\\n\\r]" : part));
  try {
    const compiled = compile(whole ? `^(?:${text})$` : text);
    // A character takes the longer, the larger the program of the pattern is.
    return (subject, walk) => {
      visit(walk, (subject.length * compiled.size) / instructions);
      return compiled.test(subject);
    };
  } catch (error) {
    if (error instanceof Reject) return undefined;
    throw error;
  }
}
