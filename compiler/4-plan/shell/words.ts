/**
 * A word of a command without its quotes. Each value in the word is one NUL character of `text`; `holes` has the indexes of these values in
 * the script, from 0.
 */
export interface Word {
  readonly text: string;
  readonly holes: readonly number[];
}

export interface Command {
  readonly words: readonly Word[];
  /**
   * The values that the command may read: in a here-document, from a command before it in a pipeline, or through a process substitution.
   */
  readonly input: readonly number[];
}

/** The most levels of substitutions that are followed. */
const deepest = 50;

/** The commands of a script, those inside of substitutions and groups included. Values are NUL characters in its text. */
export function commandsIn(script: string): readonly Command[] {
  const reader = new Reader(script);
  reader.commands(undefined, 0);
  const inputs = new Map<Open, readonly number[]>();
  for (const command of reader.all) inputs.set(command, inputOf(command, inputs));
  return reader.commandsRead.map((command) => ({ words: command.words, input: inputs.get(command) ?? [] }));
}

interface Open {
  readonly words: Word[];
  /** The values in the here-documents and here-strings of the command. */
  readonly given: number[];
  /** The commands whose output this command may read. */
  readonly sources: Open[];
}

/**
 * The values that a command may read. They stand in its here-documents and here-strings, and in the commands whose output reaches it,
 * directly or through other commands. Of commands whose input is known, the sources are not gone through again.
 */
function inputOf(command: Open, known: ReadonlyMap<Open, readonly number[]>): readonly number[] {
  const sources = new Set(command.sources);
  const input = new Set(command.given);
  for (const source of sources) {
    for (const hole of [...source.words.flatMap(({ holes }) => holes), ...source.given, ...(known.get(source) ?? [])]) input.add(hole);
    if (!known.has(source)) for (const other of source.sources) sources.add(other);
  }
  return [...input];
}

class Reader {
  readonly commandsRead: Open[] = [];
  /** The commands, and the nodes that stand for several commands in front of a pipe. */
  readonly all: Open[] = [];
  readonly #text: string;
  #at = 0;
  #holes = 0;
  #due: { readonly end: string; readonly command: Open }[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads commands up to their closing bracket, and gives the values in them. */
  commands(close: ")" | undefined, depth: number): readonly number[] {
    const first = this.#holes;
    let command: Open = { words: [], given: [], sources: [] };
    // The commands before, as long as they may write into a pipe.
    let piped: Open[] = [];
    let groups = 0;
    const end = (reads: boolean): void => {
      if (command.words.length > 0) this.commandsRead.push(command);
      piped.push(command);
      // One node stands for all commands before, so that the lists of sources in long pipelines stay short.
      if (reads) piped = [{ words: [], given: [], sources: piped }];
      this.all.push(command, ...(reads ? piped : []));
      command = { words: [], given: [], sources: reads ? [...piped] : [] };
    };
    while (this.#at < this.#text.length) {
      const char = this.#text.charAt(this.#at);
      if (char === ")" && close !== undefined && groups === 0) break;
      if (char === "#") this.#skipTo("\n");
      else if (/\s/.test(char) && char !== "\n") this.#at += 1;
      else if (/[;&|\n()]/.test(char)) {
        const pipe = char === "|" && this.#text.charAt(this.#at + 1) !== "|";
        this.#at += /^(?:\|\||&&|\|&|;;)/.exec(this.#text.slice(this.#at))?.[0].length ?? 1;
        if (char === "(") groups += 1;
        if (char === ")") groups = Math.max(0, groups - 1);
        end(pipe);
        if (!pipe && groups === 0 && char !== ")") piped = [];
        if (char === "\n") this.#hereDocuments();
      } else if (!this.#redirection(command, depth)) {
        const word = this.#word(depth);
        const isCommand = command.words.length === 0;
        if (isCommand && /^(?:\}|done|fi)$/.test(word.text)) groups = Math.max(0, groups - 1);
        else if (isCommand && /^(?:\{|for|select|while|until|if)$/.test(word.text)) groups += 1;
        if (!isCommand || !/^[{}]$/.test(word.text)) command.words.push(word);
      }
    }
    end(false);
    this.#at += 1;
    return Array.from({ length: this.#holes - first }, (_, i) => first + i);
  }

  #skipTo(end: string): void {
    const index = this.#text.indexOf(end, this.#at);
    const until = index < 0 ? this.#text.length : index;
    this.#count(this.#text.slice(this.#at, until));
    this.#at = until;
  }

  /** The values in a piece of text that the reader has passed. */
  #count(text: string): readonly number[] {
    return Array.from(text.matchAll(/\0/g), () => this.#holes++);
  }

  /**
   * Reads a redirection. Files are no words of the command, here-documents and here-strings are its input, and the result of a substitution
   * is a word.
   */
  #redirection(command: Open, depth: number): boolean {
    if (this.#substitution(command, depth)) return true;
    const operator = /^(?:\d+|\{\w+\})?(<<<|<<-?|[<>]{1,2}[&|]?)/.exec(this.#text.slice(this.#at));
    if (operator === null) return false;
    const [text, kind = ""] = operator;
    this.#at += text.length;
    this.#at += /^[ \t]*/.exec(this.#text.slice(this.#at))?.[0].length ?? 0;
    if (this.#substitution(command, depth)) return true;
    const word = this.#word(depth);
    if (kind === "<<<" || kind === "<") command.given.push(...word.holes);
    else if (kind.startsWith("<<")) this.#due.push({ end: word.text, command });
    // `exec` opens descriptors for the commands behind it.
    else if (kind === "<&") command.sources.push(...this.commandsRead.filter(({ words }) => words[0]?.text === "exec"));
    return true;
  }

  /**
   * Reads a process substitution. The commands in `<(…)` are sources of the command, and the command is a source of the commands in `>(…)`.
   */
  #substitution(command: Open, depth: number): boolean {
    const operator = /^[<>](?=\()/.exec(this.#text.slice(this.#at))?.[0];
    if (operator === undefined || depth >= deepest) return false;
    this.#at += 2;
    const before = this.commandsRead.length;
    const holes = this.commands(")", depth + 1);
    const inside = this.commandsRead.slice(before);
    if (operator === ">") for (const each of inside) each.sources.push(command);
    else command.sources.push(...inside);
    command.words.push({ text: "/dev/fd/0", holes: operator === "<" ? holes : [] });
    return true;
  }

  #hereDocuments(): void {
    for (const { end, command } of this.#due.splice(0)) {
      for (let line: string | undefined; this.#at < this.#text.length && line?.replace(/^\t+/, "") !== end; ) {
        const next = this.#text.indexOf("\n", this.#at);
        line = this.#text.slice(this.#at, next < 0 ? this.#text.length : next);
        command.given.push(...this.#count(line));
        this.#at += line.length + 1;
      }
    }
  }

  /** Reads a word, or the inside of `${…}` up to its end, where blanks and operators are text. */
  #word(depth: number, end = /[\s;&|<>()]/, isInQuotes = false): Word {
    let text = "";
    const first = this.#holes;
    let quoted = false;
    while (this.#at < this.#text.length) {
      const char = this.#text.charAt(this.#at);
      if (!quoted && end.test(char)) break;
      this.#at += 1;
      if (char === "\0") {
        this.#holes += 1;
        text += char;
      } else if (char === "\\") {
        text += this.#text.charAt(this.#at);
        this.#at += 1;
      } else if (char === '"') quoted = !quoted;
      else if (char === "'" && !quoted && !isInQuotes) text += this.#upTo("'");
      else if (char === "`") text += this.#upTo("`");
      else if (char === "$" && this.#text.startsWith("((", this.#at)) text += this.#upTo("))");
      else if (char === "$" && this.#text.charAt(this.#at) === "(" && depth < deepest) {
        this.#at += 1;
        text += "\0".repeat(this.commands(")", depth + 1).length);
      } else if (char === "$" && this.#text.charAt(this.#at) === "{" && depth < deepest) {
        text += `$${this.#word(depth + 1, /\}/, quoted || isInQuotes).text}}`;
        this.#at += 1;
      } else text += char;
    }
    return { text, holes: Array.from({ length: this.#holes - first }, (_, i) => first + i) };
  }

  #upTo(end: string): string {
    const from = this.#at;
    this.#skipTo(end);
    const text = this.#text.slice(from, this.#at);
    this.#at += end.length;
    return text;
  }
}
