import { filters } from "#runtime/features/filters/index.ts";
import type { MarkerStep } from "./marker.ts";

/** A word that may follow `->`, with its description for users. */
export interface FilterWord {
  readonly name: string;
  readonly arity: 0 | 1;
  readonly summary: string;
  readonly edges?: string;
}

/** Filters that the compiler turns into something else, so that no function has their name. */
export const compiledFilters: readonly FilterWord[] = [
  {
    name: "default",
    arity: 1,
    summary: "`x` when the value is not set.",
    edges: "The argument may hold markers; text in quotes is text, `42`, `true` and `null` are values.",
  },
  {
    name: "raw",
    arity: 0,
    summary: "The value without protection.",
    edges: "In SQL, URLs, headers and regular expressions, and only for values of the configuration.",
  },
];

/** Every word that may follow `->`, those of the compiler first. */
export const filterWords: readonly FilterWord[] = [
  ...compiledFilters,
  ...Object.entries(filters).flatMap(([name, { arity, summary, internal }]) => (internal === true ? [] : [{ name, arity, summary }])),
];

export const filterNames: readonly string[] = filterWords.map(({ name }) => name);

const arities = new Map(filterWords.map(({ name, arity }) => [name, arity]));

/** Number of arguments of a filter; undefined for an unknown name. */
export const filterArity = (name: string): 0 | 1 | undefined => arities.get(name);

/** True for a filter that works on the text of a value, whatever the value is. */
export const takesText = (step: MarkerStep | undefined): boolean => step?.kind === "filter" && filters[step.name]?.takesText === true;
