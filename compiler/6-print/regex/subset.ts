import { type Pattern, type Repeat, shortest, size, type Term, termsOf, withInner } from "./tree.ts";

/** The most terms of a pattern whose repetitions are written out. */
const largest = 500;

/**
 * True when both engines give the same matches on every text of the allowed length. They differ where a repetition contains groups or an
 * empty match. Also, the places that JavaScript remembers for a repetition must fit its stack.
 */
export function isShared(pattern: Pattern): boolean {
  const terms = [...termsOf(pattern)];
  const all = pattern.flat().reduce((sum, term) => sum + size(term), 0);
  return all <= largest && terms.every((term) => term.kind !== "repeat" || isPlain(term));
}

function isPlain({ body, most, least }: Repeat): boolean {
  if (most === 0 || most < least || shortest(body) === 0) return false;
  if (most === 1 || body.kind === "set") return true;
  return [...withInner(body)].every(isShallow);
}

/** True when a repetition needs little stack. By measurement, such a term takes 9 bytes of the stack of 64 MiB for each character. */
function isShallow(term: Term): boolean {
  switch (term.kind) {
    case "set":
    case "edge":
      return true;
    case "group":
      return !term.captures && term.body.every((branch) => branch.some((each) => shortest(each) > 0));
    case "repeat":
      return (term.most === 1 || term.body.kind === "set") && !(term.lazy && term.least === 0);
  }
}
