import { RE2JS, RE2JSException } from "re2js";
import type { Work } from "../threads/slices.ts";
import { AllMatches } from "./all-matches.ts";
import { bounded, type Groups, type Pattern } from "./pattern.ts";
import { boundEffort } from "./pattern-effort.ts";
import { writtenOut } from "./regex-size.ts";
import { re2Syntax, refused } from "./regex-syntax.ts";

const longest = 4096;
/**
 * Instructions of the largest program. The time of a match grows with this number times the text: 16,000 instructions took 1 ms a
 * character.
 */
const largest = 10_000;
/** Instructions that the engine is not even asked to compile; `writtenOut` may count more than there are. */
const hopeless = 10 * largest;

const tooLarge = "it is too large; use smaller repetitions";

/**
 * Compiles a pattern of the RE2 language (spec/jq-jsonpath-regex C). A pattern that the engine refuses, or that is too large to be safe, is
 * PW421.
 */
export function compile(pattern: string): Pattern & { readonly size: number } {
  if (pattern.length > longest) throw refused(`it is longer than ${longest} characters`);
  const syntax = re2Syntax(pattern);
  if (writtenOut(syntax) > hopeless) throw refused(tooLarge);
  const engine = parsed(syntax);
  if (engine.programSize() > largest) throw refused(tooLarge);
  const readable = boundEffort(engine);
  return {
    size: engine.programSize(),
    groups: engine.groupCount(),
    names: engine.namedGroups(),
    test: (text) => engine.test(readable(bounded(text))),
    exec: (text) => {
      const match: readonly (string | undefined)[] | null = engine.exec(readable(bounded(text)));
      return match === null ? null : Array.from(match, (group) => group ?? null);
    },
    replace: (text, fill, withGroups = true) => replaced(engine, readable(bounded(text)), fill, withGroups ? engine.groupCount() : 0),
  };
}

function* replaced(engine: RE2JS, text: string, fill: (groups: Groups) => string, groupCount: number): Work<string> {
  const all = new AllMatches(engine, text);
  let out = "";
  let end = 0;
  for (let first = true; all.find(); first = false) {
    if (all.isSliceOver()) yield;
    const { matcher } = all;
    // As in Rust, an empty match right behind another one does not count.
    if (!first && matcher.end() === end) continue;
    const groups = groupCount === 0 ? [matcher.group(0)] : Array.from({ length: groupCount + 1 }, (_, i) => matcher.group(i));
    out += text.slice(end, matcher.start()) + fill(groups);
    end = matcher.end();
  }
  return out + text.slice(end);
}

function parsed(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw refused(error.message.replace("error parsing regexp: ", ""));
  }
}

/** An instruction of the program that the engine runs: the package numbers the kinds (`op`). */
export interface Instruction {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  readonly runes: Int32Array;
  readonly matchRune: (rune: number) => boolean;
}

/** The program of a pattern, for the compiler to look at. */
export const instructions = (pattern: string): { readonly inst: readonly Instruction[]; readonly start: number } =>
  parsed(re2Syntax(pattern)).re2().prog;
