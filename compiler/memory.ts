import type { Report } from "./diagnostics/diagnostic.ts";

/** A finding with its place, as `Report` is told it, to be told again. */
export type Reported = Parameters<Report>;

/** The work of a phase on one file of a project. */
export interface Work<Asks, Result> {
  readonly step: string;
  readonly file: string;
  /** All that it is given. Its result holds as long as each of these is the same text or the same object. */
  readonly given: readonly unknown[];
  /**
   * The questions that it may ask about what lies outside of the file. Its result holds as long as each that it has asked has the same
   * answer.
   */
  readonly asks: Asks;
  /** Does the work. `before` is the last result that was made of the file, for work that can use parts of it. */
  readonly make: (asks: Asks, report: Report, before: Result | undefined) => Result;
}

/** Gives the results of the phases: each time anew, or as they were. A caller cannot tell the difference. */
export interface Memory {
  /** The result of the work; what there is to report is reported each time. */
  readonly result: <Asks extends object, Result>(work: Work<Asks, Result>, report: Report) => Result;
  /** Ends a look at these files: whatever is known of others is forgotten. */
  readonly keepOnly: (texts: Iterable<{ readonly file: string; readonly text: string }>) => void;
}

/** Remembers nothing: the memory of commands that look once. */
export const forgetful: Memory = {
  result: ({ asks, make }, report) => make(asks, report, undefined),
  keepOnly: () => undefined,
};

/** A result with all that it depends on, and what was reported on the way. */
interface Kept {
  readonly given: readonly unknown[];
  readonly asked: readonly AnsweredQuestion[];
  readonly result: unknown;
  readonly reported: readonly Reported[];
}

/** A question that was asked, by the name of the function, and its answer. */
interface AnsweredQuestion {
  readonly name: string;
  readonly question: readonly unknown[];
  readonly answer: unknown;
}

/** Characters of the texts of a project whose results are kept. A larger one is looked at anew each time. */
const mostCharacters = 32 * 1024 * 1024;

/**
 * The results of the last look at a project, one for each phase and file. The next look does the work again whose file, or whose
 * surroundings as far as it asked about them, are others. A result that was given before is the same object, so that what follows from it
 * holds, too.
 */
export class LastLook implements Memory {
  readonly #steps = new Map<string, Map<string, Kept>>();

  result<Asks extends object, Result>(work: Work<Asks, Result>, report: Report): Result {
    const files = this.#steps.get(work.step) ?? new Map<string, Kept>();
    this.#steps.set(work.step, files);
    const before = files.get(work.file);
    // A step makes results of one type.
    const current = before !== undefined && holds(before, work) ? before : made(work, before?.result as Result | undefined);
    files.set(work.file, current);
    for (const one of current.reported) report(...one);
    return current.result as Result;
  }

  keepOnly(texts: Iterable<{ readonly file: string; readonly text: string }>): void {
    const names = new Set<string>();
    let characters = 0;
    for (const { file, text } of texts) {
      names.add(file);
      characters += text.length;
    }
    if (characters > mostCharacters) this.#steps.clear();
    for (const files of this.#steps.values()) for (const file of files.keys()) if (!names.has(file)) files.delete(file);
  }
}

function holds<Asks extends object, Result>({ given, asked }: Kept, work: Work<Asks, Result>): boolean {
  if (given.length !== work.given.length || given.some((one, i) => one !== work.given[i])) return false;
  const ask = new Map<string, (...question: readonly unknown[]) => unknown>(Object.entries(work.asks));
  return asked.every(({ name, question, answer }) => alike(ask.get(name)?.(...question), answer));
}

function made<Asks extends object, Result>({ given, asks, make }: Work<Asks, Result>, before: Result | undefined): Kept {
  const answers: AnsweredQuestion[] = [];
  const reported: Reported[] = [];
  const noting = Object.entries(asks).map(([name, ask]) => [
    name,
    (...question: readonly unknown[]) => {
      const answer: unknown = ask(...question);
      answers.push({ name, question, answer });
      return answer;
    },
  ]);
  // The functions that it is given, each under its name.
  const result = make(Object.fromEntries(noting) as Asks, (...one) => void reported.push(one), before);
  return { given, asked: answers, result, reported };
}

/** Answers are texts, or records of texts and objects. */
function alike(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const [members, others] = [Object.entries(a), new Map(Object.entries(b))];
  return members.length === others.size && members.every(([name, value]) => others.get(name) === value && others.has(name));
}
