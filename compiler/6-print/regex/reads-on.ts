import { type Instruction, instructions } from "#runtime/languages/regex.ts";

/**
 * True when an engine may have to read far beyond the end of a match to be sure of it. A search for all matches then takes time with the
 * square of the text, as `(a|b)*c|(a)` does on a text of `a`. The answer is read from the program of the pattern, in which an earlier
 * thread wins over a later one. A thread that may loop without a match of its own must not be alive where a later thread has matched. When
 * in doubt the answer is true.
 */
export function readsOn(pattern: string): boolean {
  const program = programOf(pattern);
  const loops = endless(program);
  if (loops.size === 0) return false;
  return program.steps.size > largest || livesOn(program, loops);
}

/** Programs with more characters are not analysed and count as yes, because the analysis takes time with the square of their number. */
const largest = 300;

/** The threads that follow a step, the best first. Threads behind a sure match never count. */
interface Following {
  readonly steps: readonly number[];
  /** The index of the match among them; threads before it are better. */
  readonly matchAt: number | undefined;
  /** True when the match needs no condition, such as `$`. */
  readonly isSure: boolean;
}

interface Step {
  readonly takes: (rune: number) => boolean;
  /** Sample runes: if two steps accept a common rune, they both accept one of the samples. */
  readonly edges: readonly number[];
  readonly next: Following;
}

interface Program {
  readonly start: Following;
  /** The steps that take a character, by their number. */
  readonly steps: ReadonlyMap<number, Step>;
}

/** The numbers of the instructions in the package. */
const kinds = {
  alternatives: [1, 2],
  capture: 3,
  condition: 4,
  fail: 5,
  match: 6,
  nothing: 7,
  runes: [8, 9],
  any: 10,
  anyButNewline: 11,
} as const;

function programOf(pattern: string): Program {
  const { inst, start } = instructions(pattern);
  const steps = new Map<number, Step>();
  const following = (from: number): Following => followingOf(inst, from);
  inst.forEach((instruction, number) => {
    if (instruction.op >= kinds.runes[0])
      steps.set(number, { takes: takes(instruction), edges: edgesOf(instruction), next: following(instruction.out) });
  });
  return { start: following(start), steps };
}

function followingOf(inst: readonly Instruction[], from: number): Following {
  const seen = new Set<number>();
  const steps: number[] = [];
  let matchAt: number | undefined;
  let isSure = false;
  const visit = (number: number, isConditional: boolean): void => {
    const instruction = inst[number];
    if (isSure || instruction === undefined || seen.has(number)) return;
    seen.add(number);
    if (instruction.op >= kinds.runes[0]) steps.push(number);
    else if (instruction.op === kinds.match) {
      matchAt ??= steps.length;
      isSure = !isConditional;
      if (isSure) matchAt = steps.length;
    } else if (instruction.op !== kinds.fail) {
      visit(instruction.out, isConditional || instruction.op === kinds.condition);
      if (instruction.op === kinds.alternatives[0] || instruction.op === kinds.alternatives[1]) visit(instruction.arg, isConditional);
    }
  };
  visit(from, false);
  return { steps, matchAt, isSure };
}

const newline = 10;

function takes(instruction: Instruction): (rune: number) => boolean {
  if (instruction.op === kinds.any) return () => true;
  return instruction.op === kinds.anyButNewline ? (rune) => rune !== newline : (rune) => instruction.matchRune(rune);
}

/**
 * The sample runes of an instruction. Two sets have a common rune only if the first rune of a range of one set is in the other set. One
 * letter may stand for others.
 */
function edgesOf(instruction: Instruction): readonly number[] {
  if (instruction.op === kinds.any) return [0];
  if (instruction.op === kinds.anyButNewline) return [0, newline + 1];
  if (instruction.runes.length > 1) return [...instruction.runes].filter((_, i) => i % 2 === 0);
  return [...instruction.runes]
    .flatMap((rune) => [rune, ...casesOf(String.fromCodePoint(rune))])
    .filter((rune) => instruction.matchRune(rune));
}

/** All cases of a letter. Without regard to case, the long s and the sign of Kelvin also equal letters of ASCII. */
const casesOf = (letter: string): readonly number[] =>
  [letter.toLowerCase(), letter.toUpperCase(), "\u017f", "\u212a"].map((each) => each.codePointAt(0) ?? 0);

const meet = (a: Step, b: Step): boolean => a.edges.some(b.takes) || b.edges.some(a.takes);

/** The steps from which a thread may reach a loop that it can repeat without a match. */
function endless({ steps }: Program): ReadonlySet<number> {
  const isQuiet = (number: number): boolean => steps.get(number)?.next.isSure === false;
  const after = (number: number): readonly number[] => steps.get(number)?.next.steps ?? [];
  const loops = [...steps.keys()].filter((number) => isQuiet(number) && reaches(number, number, after, isQuiet));
  return new Set([...steps.keys()].filter((number) => loops.some((loop) => loop === number || reaches(number, loop, after, () => true))));
}

function reaches(from: number, to: number, after: (number: number) => readonly number[], isPassed: (number: number) => boolean): boolean {
  const seen = new Set<number>();
  const open = [from];
  for (let here = open.pop(); here !== undefined; here = open.pop()) {
    for (const next of after(here)) {
      if (next === to) return true;
      if (seen.has(next) || !isPassed(next)) continue;
      seen.add(next);
      open.push(next);
    }
  }
  return false;
}

/**
 * True when a thread that may loop endlessly is alive where a worse thread has matched. Threads are compared in pairs, the better one
 * first.
 */
function livesOn({ start, steps }: Program, endlessly: ReadonlySet<number>): boolean {
  const all = [start, ...[...steps.values()].map(({ next }) => next)];
  if (all.some((following) => following.steps.slice(0, following.matchAt ?? 0).some((number) => endlessly.has(number)))) return true;
  // A match that starts earlier is better than one that starts later.
  if (start.matchAt !== undefined && endlessly.size > 0) return true;
  const seen = new Set<string>();
  const open: (readonly [better: number, worse: number])[] = [];
  const add = (better: number, worse: number): void => {
    const key = `${better} ${worse}`;
    if (better === worse || seen.has(key)) return;
    seen.add(key);
    open.push([better, worse]);
  };
  for (const { steps: list } of all) for (const [i, better] of list.entries()) for (const worse of list.slice(i + 1)) add(better, worse);
  for (const better of steps.keys()) for (const worse of start.steps) add(better, worse);
  for (let pair = open.pop(); pair !== undefined; pair = open.pop()) {
    const [better, worse] = [steps.get(pair[0]), steps.get(pair[1])];
    if (better === undefined || worse === undefined || !meet(better, worse) || better.next.isSure) continue;
    if (worse.next.matchAt !== undefined && better.next.steps.some((number) => endlessly.has(number))) return true;
    const shared = new Set(better.next.steps);
    for (const step of better.next.steps) for (const other of worse.next.steps) if (!shared.has(other)) add(step, other);
  }
  return false;
}
