import { Failure } from "../../../value/failure.ts";
import type { Json } from "../../../value/json.ts";
import { text } from "../../../value/values.ts";

/**
 * The command line: a script for the shell, a script whose values travel beside it, or a program with its arguments. The script never holds
 * a value of a marker: it names variables of the environment, `pipewright_1` and so on, so that nothing a caller sends is ever read by the
 * shell (spec/language 2.8 G).
 */
export type CommandLine = string | { readonly script: string; readonly values: readonly Json[] } | readonly Json[] | null;

/** A program ready to be started. */
export interface Invocation {
  readonly program: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The name of the variable for the nth value, from 1. */
export const valueName = (n: number): string => `pipewright_${n}`;

/**
 * Makes the program, its arguments and its environment from the command line and the inherited variables. Throws `Failure` for a value that
 * no program can take.
 */
export function invocation(run: CommandLine, shell: string, inherited: Readonly<Record<string, string>>): Invocation {
  if (run === null) throw new Failure("evaluation", "field run: expected string, got null");
  if (Array.isArray(run)) return { ...program(run.map(word)), env: inherited };
  const { script, values } = typeof run === "string" ? { script: run, values: [] } : (run as Exclude<typeof run, readonly Json[]>); // lists were taken above
  const { program: interpreter, args } = program(shell.split(/\s+/).filter((part) => part !== ""));
  const env = Object.fromEntries(values.map((value, i) => [valueName(i + 1), word(value)]));
  return { program: interpreter, args: [...args, word(script)], env: { ...inherited, ...env } };
}

function program([first = "", ...args]: readonly string[]): Pick<Invocation, "program" | "args"> {
  if (first === "") throw new Failure("evaluation", "field run: expected a program, got an empty text");
  return { program: first, args };
}

/** A NUL would end the argument in the middle. */
function word(value: Json): string {
  const line = text(value);
  if (line.includes("\0")) throw new Failure("evaluation", "field run: invalid character");
  return line;
}

/** An invocation as one line: the script of a shell, or the program and its arguments. Values beside a script are not in it. */
export function lineOf({ program, args }: Pick<Invocation, "program" | "args">): string {
  const isShell = /(?:^|\/)(?:ba|da|z)?sh$/.test(program) && args[0] === "-c" && args.length === 2;
  return isShell ? (args[1] ?? "") : [program, ...args].join(" ");
}
