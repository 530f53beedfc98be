import { createRequire } from "node:module";

/** Says whether the search for a pattern, which is written in JavaScript with flag `u`, takes time linear in the text for sure. */
export type Prove = (source: string) => boolean;

/** The answer of the package about a pattern. */
interface Verdict {
  readonly status: "safe" | "vulnerable" | "unknown";
}

type Check = (source: string, flags: string, options: Readonly<Record<string, unknown>>) => Verdict;

/** Its part that runs in JavaScript alone: the same answer on every machine. It is large, and read when the first pattern asks for it. */
const checkSync = (): Check => {
  const { checkSync: check } = createRequire(import.meta.url)("recheck/lib/browser.js") as { readonly checkSync: Check }; // the package says so
  return check;
};

/** The package searches without chance and without a clock: the size of the pattern bounds its steps. */
const options = { checker: "automaton", timeout: null, recallTimeout: -1 } as const;

/** A proof by recheck. */
export const recheck: Prove = (source) => checkSync()(source, "u", options).status === "safe";
