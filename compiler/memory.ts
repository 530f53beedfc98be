import type { Report } from "./diagnostics/diagnostic.ts";

/** The arguments of a call of `Report`, kept to report the finding again. */
export type Reported = Parameters<Report>;

/** The work of a phase on one file of a project. */
export interface Work<Asks, Result> {
  readonly step: string;
  readonly file: string;
  /** The inputs of the work. Its result is valid as long as each of these is the same text or the same object. */
  readonly given: readonly unknown[];
  /**
   * The functions by which the work asks about things outside the file. Its result is valid as long as each question that it has asked has
   * the same answer.
   */
  readonly asks: Asks;
  /** Does the work. `before` is the last result for the file, for work that can reuse parts of it. */
  readonly make: (asks: Asks, report: Report, before: Result | undefined) => Result;
}

/** Gives the results of the phases, either computed again or stored. A caller cannot tell the difference. */
export interface Memory {
  /** The result of the work. Its findings are reported each time. */
  readonly result: <Asks extends object, Result>(work: Work<Asks, Result>, report: Report) => Result;
  /** Ends the analysis of these files. Results for other files are forgotten. */
  readonly keepOnly: (texts: Iterable<{ readonly file: string; readonly text: string }>) => void;
}

/** A memory that stores nothing, for commands that analyse a project once. */
export const forgetful: Memory = {
  result: ({ asks, make }, report) => make(asks, report, undefined),
  keepOnly: () => undefined,
};

/** A result with all that it depends on, and what was reported on the way. */
interface Kept {
  readonly given: readonly unknown[];
  readonly answers: readonly AnsweredQuestion[];
  readonly result: unknown;
  readonly reported: readonly Reported[];
}

/** A question that was asked, by the name of the function, and its answer. */
interface AnsweredQuestion {
  readonly name: string;
  readonly question: readonly unknown[];
  readonly answer: unknown;
}

/** The most characters of a project whose results are kept. A larger project is analysed completely each time. */
const mostCharacters = 32 * 1024 * 1024;

/**
 * The results of the last analysis of a project, one for each phase and file. The next analysis repeats only work whose inputs or answered
 * questions have changed. A reused result is the same object, so that results that follow from it stay valid, too.
 */
export class LastLook implements Memory {
  readonly #steps = new Map<string, Map<string, Kept>>();

  result<Asks extends object, Result>(work: Work<Asks, Result>, report: Report): Result {
    const files = this.#steps.get(work.step) ?? new Map<string, Kept>();
    this.#steps.set(work.step, files);
    const before = files.get(work.file);
    // A step makes results of one type.
    const current = before !== undefined && holds(before, work) ? before : worked(work, before?.result as Result | undefined);
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

function holds<Asks extends object, Result>({ given, answers }: Kept, work: Work<Asks, Result>): boolean {
  if (given.length !== work.given.length || given.some((one, i) => one !== work.given[i])) return false;
  const ask = new Map<string, (...question: readonly unknown[]) => unknown>(Object.entries(work.asks));
  return answers.every(({ name, question, answer }) => alike(ask.get(name)?.(...question), answer));
}

function worked<Asks extends object, Result>({ given, asks, make }: Work<Asks, Result>, before: Result | undefined): Kept {
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
  // The functions in `asks`, each under its name, which also note their answers.
  const result = make(Object.fromEntries(noting) as Asks, (...one) => void reported.push(one), before);
  return { given, answers, result, reported };
}

/** True when two answers are equal. Answers are texts, or records of texts and objects. */
function alike(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  const [members, others] = [Object.entries(a), new Map(Object.entries(b))];
  return members.length === others.size && members.every(([name, value]) => others.get(name) === value && others.has(name));
}
