import { type Command, commandsIn, type Word } from "./words.ts";

/**
 * A value that another interpreter would read as a part of its program. `hole` is the index of the value in the script, and `place` names
 * the part of the command.
 */
export interface Nested {
  readonly hole: number;
  readonly place: string;
}

/** The ways in which a program takes code. */
interface Interpreter {
  readonly name: RegExp;
  /** The options whose value is code, glued to them or in the next word. */
  readonly option?: RegExp;
  /**
   * The index of the first operand that is code, unless an option gives code. With 0 only the first operand is code; otherwise all operands
   * from this one on.
   */
  readonly operand?: number;
  /** True when the program reads code from its standard input unless an operand names a file of code. */
  readonly input?: true;
}

const interpreters: readonly Interpreter[] = [
  { name: /^(?:sh|ash|dash|bash|ksh|mksh|zsh|fish|busybox)$/, option: /^-[a-zA-Z]*c$/, input: true },
  { name: /^(?:python|pypy)[\d.]*$/, option: /^-[a-zA-Z]*c/, input: true },
  { name: /^(?:perl|ruby|lua|luajit)[\d.]*$/, option: /^-[a-zA-Z]*[eE]/, input: true },
  { name: /^(?:node|nodejs|bun|deno)$/, option: /^(?:-[a-z]*[ep]|--eval|--print|eval)/, input: true },
  { name: /^php[\d.]*$/, option: /^(?:-[rBRE]|--run)/, input: true },
  { name: /^(?:tclsh|expect|osascript|Rscript|R|dc|ed)$/, option: /^-[ce]/, input: true },
  { name: /^(?:psql|su|runuser|script|flock|vi|vim|nvim|ex|tmux)$/, option: /^(?:-[a-zA-Z]*c|--c(?:ommand|md)?)/ },
  { name: /^(?:mysql|mariadb|mongo|mongosh)$/, option: /^(?:-[a-z]*e|--e(?:xecute|val)?)/ },
  { name: /^(?:awk|gawk|mawk|nawk|sed|gsed)$/, option: /^(?:-[nErisz]*e|--expression|--source)/, operand: 0 },
  { name: /^(?:sqlite3|duckdb)$/, option: /^-(?:c|s|cmd)$/, operand: 1 },
  { name: /^redis-cli$/, option: /^eval$/i },
  { name: /^(?:sqlcmd|clickhouse-client)$/, option: /^(?:-[qQ]|--query)/ },
  { name: /^(?:julia|groovy|raku|elixir|emacs|pwsh|powershell)$/, option: /^-(?:[ecEC]|-eval|[cC]ommand)/ },
  { name: /^(?:npx|npm|nc|ncat)$/, option: /^(?:-[ce]|--(?:call|exec|sh-exec))/ },
  { name: /^(?:rsync|tar|sort)$/, option: /^(?:-[eI]|--(?:rsh|rsync-path|to-command|checkpoint-action|(?:use-)?compress-program))/ },
  { name: /^(?:scp|sftp)$/, option: /^-[oS]/ },
  { name: /^(?:gdb|lldb)$/, option: /^--?(?:o|ex|eval-command|one-line)$/ },
  { name: /^crontab$/, input: true },
];

/** The shells, which a variable may also name. */
const [shell] = interpreters;
const namesShell = /^\$.*(?:SHELL|BASH|\bsh\b)/;

/** Programs that run all of their words as code: on this machine, on another machine, or once for each line. */
const readers = /^(?:eval|let|ssh|rsh|xargs|parallel|watch|at|batch|make|gmake|alias|bind|enable|mosh|socat)$/;

/** Programs that read code from their words and from their standard input. */
const inputReaders = /^(?:at|batch|make|gmake)$/;

/** Programs whose words hold another command. */
export const wrappers =
  /^(?:env|nice|ionice|timeout|sudo|doas|su|runuser|nohup|setsid|setpriv|setarch|linux32|linux64|stdbuf|chroot|chrt|unshare|nsenter|time|command|builtin|exec|busybox|toybox|flock|script|strace|ltrace|gosu|taskset|numactl|prlimit|systemd-run|docker|podman|kubectl|lxc|ip|entr|coproc|fakeroot|pkexec|xvfb-run|dbus-run-session|torsocks|sshpass)$/;

/** Programs that only print their words or search for them, so a shell among the words does not run. */
const harmless = /^(?:echo|printf|logger|cat|grep|git)$/;

/** Words before a command. */
const reserved = /^(?:if|then|elif|else|while|until|do|!|\{|function)$/;

/** Builtins that evaluate names, such as `a[$(…)]`. */
const declarations = /^(?:declare|typeset|local|readonly|export|unset|read|mapfile|readarray|getopts)$/;

/** Variables whose values shells and other programs run. */
const codeVariables =
  /^(?:BASH_ENV|ENV|PS4|PROMPT_COMMAND|LD_PRELOAD|LD_AUDIT|GIT_SSH|GIT_\w*COMMAND|GIT_PAGER|PAGER|EDITOR|RSYNC_RSH)\+?=/;

const arithmetic = /^-(?:eq|ne|lt|le|gt|ge|v)$/;

/** The values of a script that stand in the code of another interpreter. Values are NUL characters in its text. */
export const nestedIn = (script: string): readonly Nested[] => commandsIn(script).flatMap(({ words, input }) => nested({ words, input }));

/** The values of a command that no shell reads: a program and its arguments. */
export const nestedAmong = (words: readonly Word[]): readonly Nested[] => nested({ words, input: [] });

function nested({ words, input }: Command): readonly Nested[] {
  const start = programAt(words);
  const inner = words.slice(0, start < 0 ? words.length : start).flatMap(subscripts);
  const [program, ...rest] = start < 0 ? [] : words.slice(start);
  if (program === undefined) return inner;
  if (program.holes.length > 0) return [...inner, ...at("the name of a program", [program])];
  const name = baseOf(program);
  return [...inner, ...ofProgram(name, rest, input)];
}

/** The index of the word that is the program of a command, behind assignments and words of the shell; -1 where there is none. */
export function programAt(words: readonly Word[]): number {
  const isBefore = ({ text }: Word, i: number): boolean =>
    reserved.test(text) || /^\w+(?:\[[^\]]*\])?\+?=/.test(text) || words[i - 1]?.text === "function";
  return words.findIndex((word, i) => !isBefore(word, i));
}

const at = (place: string, words: readonly Word[]): readonly Nested[] =>
  words.flatMap(({ holes }) => holes.map((hole) => ({ hole, place })));

function subscripts(word: Word): readonly Nested[] {
  if (/^\w+\[[^\]]*\0/.test(word.text)) return at("a subscript", [word]);
  return codeVariables.test(word.text) ? at("a variable that holds code", [word]) : [];
}

const isOption = ({ text }: Word): boolean => /^-./.test(text);

function ofProgram(name: string, words: readonly Word[], input: readonly number[]): readonly Nested[] {
  const piped: Word = { text: "", holes: input };
  if (readers.test(name)) {
    const reads = inputReaders.test(name) || (name === "xargs" && words.some(isInterpreter));
    return at(`the words of ${name}`, reads ? [...words, piped] : words);
  }
  if (name === "hash") return at("the name of a program", words);
  if (name === "trap") return at("the code of trap", words.filter((word) => !isOption(word)).slice(0, 1));
  if (name === "source" || name === ".")
    return at(`the file of ${name}`, /^\/(?:dev|proc)\//.test(words[0]?.text ?? "") ? [...words.slice(0, 1), piped] : words.slice(0, 1));
  if (name === "find")
    return words.flatMap(({ text }, i) => (/^-(?:exec|ok)/.test(text) ? nested({ words: words.slice(i + 1), input: [] }) : []));
  if (name === "[[") return words.some(({ text }) => arithmetic.test(text)) ? at("arithmetic of [[", words) : [];
  if (name === "[" || name === "test" || name === "printf")
    return words.flatMap(({ text }, i) => (text === "-v" ? at("the name of a variable", words.slice(i + 1, i + 2)) : []));
  if (declarations.test(name)) return declared(words);
  const interpreter = interpreterOf(name);
  const own = interpreter === undefined ? [] : ofInterpreter(name, interpreter, words, piped);
  if (own.length > 0 || harmless.test(name)) return own;
  if (wrappers.test(name)) return wrapped(name, words, input);
  // An unknown program with a shell and its option among its words runs that shell.
  const inside = words.findIndex((word, i) => shell?.name.test(baseOf(word)) && words.slice(i + 1).find(isCode) !== undefined);
  return inside < 0 ? own : nested({ words: words.slice(inside), input });
}

/** The interpreter of a name. A variable may name any program; with the option of a shell it counts as a shell. */
function interpreterOf(name: string): Interpreter | undefined {
  if (!name.startsWith("$") || shell === undefined) return interpreters.find((each) => each.name.test(name));
  return namesShell.test(name) ? shell : { name: /^/, ...(shell.option && { option: shell.option }) };
}

const baseOf = ({ text }: Word): string => (text.startsWith("$") ? text : text.replace(/^.*\//, ""));

const isCode = ({ text }: Word): boolean => shell?.option?.test(text) === true;

const isInterpreter = (word: Word): boolean => readers.test(baseOf(word)) || interpreters.some(({ name }) => name.test(baseOf(word)));

/** The values in the names of variables. Where a variable is declared as a number, every value counts, because the shell evaluates it. */
function declared(words: readonly Word[]): readonly Nested[] {
  const isNumber = words.some(({ text }) => /^-[a-zA-Z]*i/.test(text));
  return at("the name of a variable", isNumber ? words : words.filter(({ text }) => /^[^=]*\0/.test(text) || codeVariables.test(text)));
}

function ofInterpreter(name: string, { option, operand, input }: Interpreter, words: readonly Word[], piped: Word): readonly Nested[] {
  const options = words.flatMap((word, i) => (option?.test(word.text) === true ? [i] : []));
  // The words after the code of a shell are arguments, which may look like options.
  const coded = input ? options.slice(0, 1) : options;
  if (coded.length > 0) {
    // Other options may stand between the option and the code.
    const ends = coded.map((i) =>
      Math.max(
        i,
        words.findIndex((word, next) => next > i && !isOption(word)),
      ),
    );
    return at(`the code of ${name}`, coded.flatMap((i, at) => words.slice(i, (ends[at] ?? i) + 1)).filter(once));
  }
  const operands = words.filter((word, i) => !isOption(word) && !/^-[vFfl]$/.test(words[i - 1]?.text ?? ""));
  const ofFile = words.some(({ text }) => /^(?:-f|--file)/.test(text));
  if (operand !== undefined) return ofFile ? [] : at(`the code of ${name}`, operands.slice(operand, operand === 0 ? 1 : undefined));
  if (!input) return [];
  const [file] = words.some(({ text }) => text === "-s") ? [] : operands;
  if (file === undefined || file.text === "-" || /^\/(?:dev|proc)\//.test(file.text))
    return at(`the input of ${name}`, file === undefined ? [piped] : [file, piped]);
  return at(`the file of ${name}`, [file]);
}

const once = (word: Word, i: number, all: readonly Word[]): boolean => all.indexOf(word) === i;

const none = /(?!)/;

/** Wrappers whose first operand is a program, with the options that take the next word. */
const ofProgramNames: Readonly<Record<string, RegExp>> = {
  ...{ nohup: none, setsid: none, command: none, builtin: none, exec: /^-a$/, coproc: none, time: /^-[fo]$/ },
  ...{
    env: /^-(?:u|C|S)$/,
    nice: /^(?:-n|--adjustment)$/,
    ionice: /^-[cnpPu]$/,
    stdbuf: /^-[ioe]$/,
    timeout: /^(?:-[ks]|--signal|--kill-after)$/,
  },
  ...{ sudo: /^(?:-[a-zA-Z]*[ughpCrtUDRT]|--(?:user|group|host|prompt|chdir|chroot|role|type|other-user))$/, doas: /^-[uC]$/ },
};

/** The word for the program that a wrapper starts; undefined where it is unknown. `timeout` has a duration before it. */
function programOf(name: string, words: readonly Word[]): Word | undefined {
  const valued = ofProgramNames[name];
  if (valued === undefined) return undefined;
  const operands = words.filter((word, i) => !isOption(word) && !/^\w+=/.test(word.text) && !valued.test(words[i - 1]?.text ?? ""));
  return operands[name === "timeout" ? 1 : 0];
}

/**
 * The values in the command inside a wrapper. The inner command begins at the first word that names a known program; any options may stand
 * before it.
 */
function wrapped(name: string, words: readonly Word[], input: readonly number[]): readonly Nested[] {
  const split = words.flatMap((word, i) => (/^(?:-S|--split-string)/.test(word.text) ? words.slice(i, i + 2) : [])).filter(once);
  const index = words.findIndex(
    (word) => isInterpreter(word) || /^(?:env|nice|ionice|timeout|sudo|doas|nohup|setsid|stdbuf|time|find)$/.test(word.text),
  );
  const inside = index < 0 ? [] : nested({ words: words.slice(index), input });
  const program = programOf(name, words);
  const byData = program?.text.startsWith("\0") === true ? at("the name of a program", [program]) : [];
  return [...at("the words of a command", split), ...words.flatMap(subscripts), ...inside, ...byData];
}
