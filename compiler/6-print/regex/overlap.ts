import type { Pattern, Sequence, Term } from "./tree.ts";

/**
 * Matches that may be under way at one character of a text. An engine that goes back begins at every character, and reads one as often as
 * there are matches under way: thirty times take half a second for the longest text.
 */
const most = 24;

/** Terms after which a pattern is too large to be looked at. */
const largest = 2_000;

/** True when a text may make so many matches begin, each before the last has failed, that the longest text takes too long. */
export function mayOverlap(pattern: Pattern): boolean {
  const searched = pattern.filter(([first]) => !(first?.kind === "edge" && first.text === "^"));
  return searched.some((branch) => {
    const sets = setsOf(branch);
    if (sets.length > largest) return true;
    const starts = startsOf(branch).map(charactersOf);
    const answers = new Map<string, boolean>();
    const meets = (set: string): boolean => {
      if (!answers.has(set))
        answers.set(
          set,
          starts.some((start) => haveCommon(start, charactersOf(set))),
        );
      return answers.get(set) === true;
    };
    return sets.filter(meets).length > most;
  });
}

/** The sets of a branch in a row, with repetitions written out as far as it matters; one without an end counts once more. */
const setsOf = (branch: Sequence): string[] => branch.flatMap(setsOfTerm);

function setsOfTerm(term: Term): string[] {
  switch (term.kind) {
    case "edge":
      return [];
    case "set":
      return [term.text];
    case "group":
      return term.body.flatMap(setsOf);
    case "repeat": {
      const body = setsOfTerm(term.body);
      const times = term.most === Number.POSITIVE_INFINITY ? term.least + 1 : term.most;
      // One more than is looked at is as good as all.
      const copies = Math.min(times, Math.floor(largest / Math.max(body.length, 1)) + 1);
      return Array.from({ length: copies }, () => body).flat();
    }
  }
}

/** The sets with which a match of the branch may begin. */
function startsOf(branch: Sequence): string[] {
  const out: string[] = [];
  for (const term of branch) {
    out.push(...beginnings(term));
    if (term.kind !== "edge" && !mayBeEmpty(term)) break;
  }
  return out;
}

function beginnings(term: Term): string[] {
  switch (term.kind) {
    case "edge":
      return [];
    case "set":
      return [term.text];
    case "group":
      return term.body.flatMap(startsOf);
    case "repeat":
      return beginnings(term.body);
  }
}

const mayBeEmpty = (term: Term): boolean =>
  term.kind === "repeat"
    ? term.least === 0 || mayBeEmpty(term.body)
    : term.kind === "group" && term.body.some((branch) => branch.every((each) => each.kind === "edge" || mayBeEmpty(each)));

/** Characters that stand for all: those of ASCII, and a few of the others. */
const samples = [...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)), "é", "ß", "я", "中", "\u2028", "😀"];

function charactersOf(set: string): readonly boolean[] {
  const pattern = new RegExp(`^${set}$`, "u");
  return samples.map((sample) => pattern.test(sample));
}

const haveCommon = (one: readonly boolean[], other: readonly boolean[]): boolean => one.some((has, i) => has && other[i] === true);
