import type { Filter } from "#runtime/features/feature.ts";
import type { Root } from "#runtime/run/marker-roots.ts";
import { compiledFilters } from "../../1-read/markers/filter-words.ts";
import { row } from "./argument-table.ts";
import { docComment, notice } from "./feature-page.ts";
import { type MarkerCase, markerExamples } from "./marker-cases.ts";

type Examples = ReadonlyMap<string, readonly MarkerCase[]>;

/** Filters that the compiler turns into something else, as rows of the table. */
const compiled = compiledFilters.map(({ name, arity, summary, edges = "" }) => [`\`${name}${arity === 1 ? "(x)" : ""}\``, summary, edges]);

/** markers/filters.md: every word that may follow `->`. `sourceOf` gives the text of the file that defines a filter. */
export function filtersPage(filters: Readonly<Record<string, Filter>>, sourceOf: (name: string) => string, examples: Examples): string {
  const own = Object.entries(filters).filter(([, { internal }]) => internal !== true);
  const lines = own.map(([name, { arity, summary }]) => [
    `\`${name}${arity === 1 ? "(x)" : ""}\``,
    summary,
    docComment(sourceOf(name), name) ?? "",
  ]);
  return [
    `${notice}\n\n# Filters\n`,
    "A filter changes the value of a marker: `a|body::name->upper|`. Several apply from left to right: `a|body::name->default(nobody)->upper|`.",
    "A word that is no filter is a path into the value.\n",
    row(["Filter", "Gives", "Edges"]),
    row(["---", "---", "---"]),
    ...[...compiled, ...lines].map(row),
    "",
    ...sections(examples),
  ].join("\n");
}

/** The sections of the page: each word with its examples. */
const sections = (examples: Examples): readonly string[] => [...examples].map(([word, cases]) => markerExamples(word, cases));

/** markers/roots.md: every word that a marker may start with. */
export function rootsPage(roots: Readonly<Record<string, Root>>, examples: Examples): string {
  const lines = Object.entries(roots).map(([name, root]) => {
    const marker = root.named ? `a|${name}::NAME|` : `a|${name}|`;
    return row([`\`${marker}\``, `${root.summary}`, originOf(root)]);
  });
  return [
    `${notice}\n\n# Roots of markers\n`,
    "A marker `a|root::path->filter|` starts with one of these words or with the name of an action of the same list, whose data it then reads.\n",
    row(["Marker", "Value", "Comes from"]),
    row(["---", "---", "---"]),
    ...lines,
    "",
    ...sections(examples),
  ].join("\n");
}

function originOf({ trigger, config }: Root): string {
  if (trigger) return "the request";
  return config ? "the configuration" : "an action";
}
