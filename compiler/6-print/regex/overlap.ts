import type { Pattern, Sequence, Term } from "./tree.ts";

/**
 * The most matches that may overlap at one character of a text. A backtracking engine starts a match at every character, and reads each
 * character once for every match in progress: with thirty matches the longest text takes half a second.
 */
const most = 24;

/** The most terms of a pattern that is analysed. */
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

/**
 * The sets of a branch in order, with repetitions written out as far as needed. An unbounded repetition counts as its least number and one
 * more.
 */
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
      // One copy beyond the analysed size has the same effect as all copies.
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

/** Sample characters that represent all: all of ASCII, and a few others. */
const samples = [...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)), "é", "ß", "я", "中", "\u2028", "😀"];

function charactersOf(set: string): readonly boolean[] {
  const pattern = new RegExp(`^${set}$`, "u");
  return samples.map((sample) => pattern.test(sample));
}

const haveCommon = (one: readonly boolean[], other: readonly boolean[]): boolean => one.some((has, i) => has && other[i] === true);
