import { createRequire } from "node:module";

/** True when the search for a pattern surely takes time linear in the text. The pattern is in JavaScript syntax with the flag `u`. */
export type Prove = (source: string) => boolean;

/** The answer of the package about a pattern. */
interface Verdict {
  readonly status: "safe" | "vulnerable" | "unknown";
}

type Check = (source: string, flags: string, options: Readonly<Record<string, unknown>>) => Verdict;

/**
 * The part of the package that is pure JavaScript, so that it gives the same answer on every machine. It is large, so it is loaded with the
 * first pattern that needs it.
 */
const checkSync = (): Check => {
  const { checkSync: check } = createRequire(import.meta.url)("recheck/lib/browser.js") as { readonly checkSync: Check }; // the package says so
  return check;
};

/** With these options the package uses neither random numbers nor a clock; the size of the pattern bounds its steps. */
const options = { checker: "automaton", timeout: null, recallTimeout: -1 } as const;

/** A proof by recheck. */
export const recheck: Prove = (source) => checkSync()(source, "u", options).status === "safe";
