/**
 * A word of a command without its quotes. Each value in it is one NUL character of its text; `holes` says which of the script they are,
 * from 0.
 */
export interface Word {
  readonly text: string;
  readonly holes: readonly number[];
}

export interface Command {
  readonly words: readonly Word[];
  /** Values that it reads from its standard input: in a here-document, or from a command before it in a pipeline. */
  readonly input: readonly number[];
}

/** How deep substitutions are followed. */
const deepest = 50;

/** The commands of a script, those inside of substitutions and groups included. Values are NUL characters in its text. */
export function commandsIn(script: string): readonly Command[] {
  const reader = new Reader(script);
  reader.commands(undefined, 0);
  return reader.commandsRead;
}

interface Open {
  readonly words: Word[];
  readonly input: number[];
}

class Reader {
  readonly commandsRead: Command[] = [];
  readonly #text: string;
  #at = 0;
  #holes = 0;
  #due: { readonly end: string; readonly command: Open }[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  /** Reads commands as far as the bracket that closes them, and gives the values in them. */
  commands(close: ")" | undefined, depth: number): readonly number[] {
    const first = this.#holes;
    let command: Open = { words: [], input: [] };
    // Values of the commands before, as long as they may be written into a pipe.
    let piped: number[] = [];
    let groups = 0;
    const end = (reads: boolean): void => {
      if (command.words.length > 0) this.commandsRead.push(command);
      piped.push(...command.words.flatMap(({ holes }) => holes), ...command.input);
      command = { words: [], input: reads ? [...piped] : [] };
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
      } else if (/[<>]/.test(char)) this.#redirection(command, depth);
      else {
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

  /** The values in a piece of text that is passed. */
  #count(text: string): readonly number[] {
    return Array.from(text.matchAll(/\0/g), () => this.#holes++);
  }

  /** Files are no words of the command; here-documents and here-strings are its input, and what a substitution writes is a word. */
  #redirection(command: Open, depth: number): void {
    const rest = this.#text.slice(this.#at);
    if (/^[<>]\(/.test(rest) && depth < deepest) {
      this.#at += 2;
      command.words.push({ text: "/dev/fd/0", holes: this.commands(")", depth + 1) });
      return;
    }
    const operator = /^(?:<<<|<<-?|[<>]{1,2}[&|]?)/.exec(rest)?.[0] ?? "<";
    this.#at += operator.length;
    this.#at += /^[ \t]*/.exec(this.#text.slice(this.#at))?.[0].length ?? 0;
    const word = this.#word(depth);
    if (operator === "<<<") command.input.push(...word.holes);
    else if (operator.startsWith("<<")) this.#due.push({ end: word.text, command });
  }

  #hereDocuments(): void {
    for (const { end, command } of this.#due.splice(0)) {
      for (let line: string | undefined; this.#at < this.#text.length && line?.replace(/^\t+/, "") !== end; ) {
        const next = this.#text.indexOf("\n", this.#at);
        line = this.#text.slice(this.#at, next < 0 ? this.#text.length : next);
        command.input.push(...this.#count(line));
        this.#at += line.length + 1;
      }
    }
  }

  #word(depth: number): Word {
    let text = "";
    const first = this.#holes;
    let quoted = false;
    while (this.#at < this.#text.length) {
      const char = this.#text.charAt(this.#at);
      if (!quoted && /[\s;&|<>()]/.test(char)) break;
      this.#at += 1;
      if (char === "\0") {
        this.#holes += 1;
        text += char;
      } else if (char === "\\") {
        text += this.#text.charAt(this.#at);
        this.#at += 1;
      } else if (char === '"') quoted = !quoted;
      else if (char === "'" && !quoted) text += this.#upTo("'");
      else if (char === "`") text += this.#upTo("`");
      else if (char === "$" && this.#text.startsWith("((", this.#at)) text += this.#upTo("))");
      else if (char === "$" && this.#text.charAt(this.#at) === "(" && depth < deepest) {
        this.#at += 1;
        text += "\0".repeat(this.commands(")", depth + 1).length);
      } else if (char === "$" && this.#text.charAt(this.#at) === "{") text += this.#upTo("}");
      else text += char;
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
