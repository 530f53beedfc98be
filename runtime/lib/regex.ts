import { RE2JS, RE2JSException } from "re2js";
import { re2Syntax, refused } from "./regex-syntax.ts";

/** A compiled pattern. Which engine runs it is nobody's business: linear time and leftmost-first matching are the contract. */
export interface Pattern {
  /** Number of capture groups, the whole match not counted. */
  readonly groups: number;
  /** Unanchored search. */
  test(text: string): boolean;
  /** The first match and its groups; null for a group that took no part. Null without a match. */
  exec(text: string): readonly (string | null)[] | null;
}

const longest = 4096;
/** Instructions of a compiled program. Time grows with this times the text: 16,000 instructions took 1 ms for each character. */
const largest = 10_000;

/** Compiles a pattern of the RE2 language (jq-jsonpath-regex.md C). What the engine refuses, or is too large to be safe, is PW421. */
export function compile(pattern: string): Pattern {
  if (pattern.length > longest) throw refused(`it is longer than ${longest} characters`);
  const engine = parsed(re2Syntax(pattern));
  if (engine.programSize() > largest) throw refused("it is too large; use smaller repetitions");
  return {
    groups: engine.groupCount(),
    test: (text) => engine.test(text),
    exec: (text) => {
      const match: readonly (string | undefined)[] | null = engine.exec(text);
      return match === null ? null : Array.from(match, (group) => group ?? null);
    },
  };
}

function parsed(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    throw refused(error.message.replace("error parsing regexp: ", ""));
  }
}
