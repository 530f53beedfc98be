import type { Prove } from "./recheck.ts";
import { type Pattern, patternSource, type Repeat, type Sequence, size, type Term, termsOf } from "./tree.ts";

/** The most terms of a pattern with loops for which the package is called, because its time grows with the third power of their number. */
const largest = 40;

/**
 * The most choices outside loops for one start of a match. They are counted here because the package only tells how the time grows with the
 * text.
 */
const mostChoices = 1000;

/** In a loosened pattern, repetitions with a higher count are treated as loops. */
const writtenOut = 4;

/**
 * True when it is proven that backtracking takes time linear in the text. A proof for a looser pattern, with loops in the place of large
 * counts, also counts, because it allows at least as many ways to match.
 */
export function isProvenSafe(pattern: Pattern, prove: Prove): boolean {
  if (choices(pattern) <= mostChoices && isEvidentlySafe(pattern)) return true;
  return [pattern, pattern.map(loosened)].some((form) => isAskable(form) && prove(patternSource(form)));
}

/**
 * True when a pattern needs no proof by the package, which takes tens of milliseconds. Without loops the work at each place of the text is
 * bounded. In a pattern that is anchored at the start of the text, a loop before a character outside its own set can end in only one place.
 * So only the last loop has a choice, and the rest behind it is bounded.
 */
export function isEvidentlySafe(pattern: Pattern): boolean {
  const loops = [...termsOf(pattern)].filter(isLoop);
  if (loops.length === 0) return true;
  const [branch = [], ...others] = pattern;
  const [first] = branch;
  if (others.length > 0 || first?.kind !== "edge" || first.text !== "^" || !loops.every((loop) => branch.includes(loop))) return false;
  return loops.every(
    (loop) => loop.body.kind === "set" && (loop === loops.at(-1) || endsBefore(loop.body, branch[branch.indexOf(loop) + 1])),
  );
}

const isLoop = (term: Term): term is Repeat => term.kind === "repeat" && term.most === Number.POSITIVE_INFINITY;

/** True when the next term is one character that the set does not contain. */
function endsBefore(set: Term & { readonly kind: "set" }, next: Term | undefined): boolean {
  const [, slash, character] = (next?.kind === "set" && /^(\\?)(.)$/su.exec(next.text)) || [];
  if (character === undefined || (slash !== "" && /[A-Za-z0-9]/.test(character))) return false;
  return !new RegExp(`^${set.text}$`, "u").test(character);
}

function isAskable(pattern: Pattern): boolean {
  const all = pattern.flat().reduce((sum, term) => sum + size(term), 0);
  return choices(pattern) <= mostChoices && (all <= largest || ![...termsOf(pattern)].some(isLoop));
}

const loosened = (branch: Sequence): Sequence => branch.map(loosenedTerm);

function loosenedTerm(term: Term): Term {
  if (term.kind === "group") return { ...term, body: term.body.map(loosened) };
  if (term.kind !== "repeat") return term;
  const body = loosenedTerm(term.body);
  if (term.most <= writtenOut || term.most === Number.POSITIVE_INFINITY) return { ...term, body };
  return { ...term, body, least: Math.min(term.least, writtenOut), most: Number.POSITIVE_INFINITY };
}

/** The number of choices outside loops. The package judges the loops. */
function choices(pattern: Pattern): number {
  const branches = pattern.map((branch) => branch.reduce((product, term) => product * choicesOf(term), 1));
  return branches.reduce((sum, each) => sum + each, 0);
}

function choicesOf(term: Term): number {
  switch (term.kind) {
    case "set":
    case "edge":
      return 1;
    case "group":
      return choices(term.body);
    case "repeat":
      return term.most === Number.POSITIVE_INFINITY ? 1 : (term.most - term.least + 1) * choicesOf(term.body) ** term.most;
  }
}
