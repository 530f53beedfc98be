import { re2Syntax } from "#runtime/languages/regex-syntax.ts";
import type { FeatureFacts } from "../place.ts";
import { mayOverlap } from "./overlap.ts";
import { parsePattern } from "./parse.ts";
import { readsOn } from "./reads-on.ts";
import type { Prove } from "./recheck.ts";
import { isProvenSafe } from "./safe.ts";
import { isShared } from "./subset.ts";
import { type Pattern, patternSource } from "./tree.ts";

/**
 * A pattern of the language as one of JavaScript with the same meaning; undefined when there is none. The time of its matches is not
 * considered here.
 */
export const sharedPattern = (text: string): string | undefined => {
  const pattern = treeOf(text);
  return pattern === undefined ? undefined : patternSource(pattern);
};

const mostSources = 10_000;

/**
 * Gives the source of a pattern that JavaScript matches with the same result in linear time, which `prove` proves; undefined for other
 * patterns. The answer for each pattern is kept, because `dev` compiles the same patterns repeatedly.
 */
export function nativeBy(prove: Prove): FeatureFacts["native"] {
  const sources = new Map<string, string | undefined>();
  return (text, every = false) => {
    if (sources.size >= mostSources) sources.clear();
    if (!sources.has(text)) sources.set(text, judged(text, prove));
    const source = sources.get(text);
    return source !== undefined && every && readsOn(text) ? undefined : source;
  };
}

function judged(text: string, prove: Prove): string | undefined {
  const pattern = treeOf(text);
  return pattern !== undefined && !mayOverlap(pattern) && isProvenSafe(pattern, prove) ? patternSource(pattern) : undefined;
}

function treeOf(text: string): Pattern | undefined {
  const pattern = parsePattern(re2Syntax(text));
  return pattern !== undefined && isShared(pattern) ? pattern : undefined;
}
