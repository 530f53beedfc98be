/**
 * The kind of place at a point of a script. Holes in the places of the second and third line are refused; the names stand in the
 * diagnostic.
 */
export type ShellPlace =
  | ("bare" | "single quotes" | "double quotes" | "here-document")
  | ("backticks" | "arithmetic" | "parameter expansion" | "$'...'" | "escape sequence")
  | ("quoted here-document" | "end of a here-document" | "substitution in a here-document");

/**
 * An open construct. The innermost one is the last of the list. `cases` counts `case` without `esac`: their patterns close brackets that
 * were never opened.
 */
interface Frame {
  readonly kind: Kind;
  cases: number;
}

/** The kinds of open constructs. A `substitution` is a part of a word, a `command` is not. */
type Kind = "command" | "substitution" | "double quotes" | "single quotes" | "backticks" | "arithmetic" | "parameter expansion" | "$'...'";

/** A here-document whose text starts on the next line. */
interface Here {
  readonly end: string;
  readonly quoted: boolean;
  /** True for `<<-`, where tabs before the end mark do not count. */
  readonly tabs: boolean;
}

interface Rule {
  readonly pattern: RegExp;
  readonly act: (lexer: Inside, text: string) => void;
}

/** The functions of the lexer that rules may call. */
interface Inside {
  readonly push: (...kinds: readonly Kind[]) => void;
  readonly pop: () => void;
  readonly cases: (change: number) => void;
  readonly here: (operator: string, word: string) => void;
  readonly close: () => void;
}

const push =
  (...kinds: readonly Kind[]): Rule["act"] =>
  ({ push }) =>
    push(...kinds);
const pop: Rule["act"] = ({ pop }) => pop();
const nothing: Rule["act"] = () => undefined;

const expansions: readonly Rule[] = [
  { pattern: /\\./sy, act: nothing },
  // Each of the two brackets is closed by its own bracket, so two constructs are pushed.
  { pattern: /\$\(\(/y, act: push("arithmetic", "arithmetic") },
  { pattern: /\$\(/y, act: push("substitution") },
  { pattern: /\$\{/y, act: push("parameter expansion") },
  { pattern: /\$\[/y, act: push("arithmetic") },
  { pattern: /`/y, act: push("backticks") },
  { pattern: /\$(?:\w+|[$!?#@*-])/y, act: nothing },
];

const bare: readonly Rule[] = [
  { pattern: /\$'/y, act: push("$'...'") },
  ...expansions,
  { pattern: /'/y, act: push("single quotes") },
  { pattern: /"/y, act: push("double quotes") },
  { pattern: /<<</y, act: nothing },
  {
    pattern: /<<-?[ \t]*(?:\\?[^\s;&|<>()'"\\]|'[^']*'|"[^"]*")+/y,
    act: ({ here }, text) => here(text.startsWith("<<-") ? "<<-" : "<<", text),
  },
  { pattern: /\(\(/y, act: push("arithmetic", "arithmetic") },
  { pattern: /[<>]\(/y, act: push("substitution") },
  { pattern: /\(/y, act: push("command") },
  { pattern: /\)/y, act: ({ close }) => close() },
  { pattern: /case(?=\s)/y, act: ({ cases }) => cases(1) },
  { pattern: /esac(?![^\s;&|)])/y, act: ({ cases }) => cases(-1) },
  { pattern: /[A-Za-z0-9_./=:,@%+-]+/y, act: nothing },
];

const rules: Readonly<Record<Kind, readonly Rule[]>> = {
  command: bare,
  substitution: bare,
  "double quotes": [{ pattern: /"/y, act: pop }, ...expansions],
  "single quotes": [{ pattern: /'/y, act: pop }],
  "$'...'": [
    { pattern: /\\./sy, act: nothing },
    { pattern: /'/y, act: pop },
  ],
  backticks: [
    { pattern: /\\./sy, act: nothing },
    { pattern: /`/y, act: pop },
  ],
  arithmetic: [
    { pattern: /\(/y, act: push("arithmetic") },
    { pattern: /\)|\]/y, act: pop },
  ],
  "parameter expansion": [{ pattern: /\}/y, act: pop }, { pattern: /"/y, act: push("double quotes") }, ...expansions],
};

/**
 * Reads the literal text of a script piece by piece, and knows after each piece in which place a hole would stand (spec/language 2.8 G). A
 * value stands between two pieces. When in doubt it refuses: a script that it cannot follow to its end is `unfinished`.
 */
export class ShellLexer {
  #frames: Frame[] = [{ kind: "command", cases: 0 }];
  #due: Here[] = [];
  #here: Here | undefined;
  #line = "";
  /** The text of the here-document that was read so far. */
  #document = "";
  #comment = false;
  #wordStart = true;
  #dangling = false;
  #dollar = false;
  #operator = false;

  get place(): ShellPlace {
    if (this.#dangling) return "escape sequence";
    if (this.#here !== undefined) return this.#placeInHere(this.#here);
    if (this.#operator) return "end of a here-document";
    const { kind } = this.#top;
    return kind === "command" || kind === "substitution" ? "bare" : kind;
  }

  /** True when the text ends in a `$` that would make the following text a name. */
  get afterDollar(): boolean {
    return this.#dollar;
  }

  /** True when quotes, brackets or a here-document are still open. */
  get unfinished(): boolean {
    return this.#frames.length > 1 || this.#due.length > 0 || (this.#here !== undefined && !this.#isEnd(this.#here)) || this.#dangling;
  }

  /** Notes that a value stands at this point. */
  hole(): void {
    this.#wordStart = false;
    this.#line += "\0";
  }

  read(piece: string): void {
    this.#dangling = false;
    this.#dollar = false;
    this.#operator = false;
    for (let at = 0; at < piece.length; ) at += this.#next(piece, at);
  }

  get #top(): Frame {
    return this.#frames.at(-1) ?? { kind: "command", cases: 0 };
  }

  /** Reads one token and gives its length. */
  #next(piece: string, at: number): number {
    const first = piece.charAt(at);
    if (this.#here !== undefined) return this.#inHere(this.#here, first, piece, at);
    if (this.#comment && first !== "\n") return 1;
    this.#comment = false;
    const { kind } = this.#top;
    const isCode = kind === "command" || kind === "substitution";
    this.#dollar = first === "$" && at === piece.length - 1;
    if (first === "\\" && at === piece.length - 1 && kind !== "single quotes") this.#dangling = true;
    if (isCode && first === "#" && this.#wordStart) this.#comment = true;
    if (isCode && /^<<-?[ \t]*$/.test(piece.slice(at))) this.#operator = true;
    const wasStart = this.#wordStart;
    this.#wordStart = isCode && /[\s;&|()<>]/.test(first);
    if (first === "\n" && this.#due.length > 0) this.#begin();
    for (const { pattern, act } of rules[kind]) {
      pattern.lastIndex = at;
      const text = pattern.exec(piece)?.[0];
      if (text === undefined || (/^(?:case|esac)$/.test(text) && !wasStart)) continue;
      act(this.#inside, text);
      return text.length;
    }
    return 1;
  }

  readonly #inside: Inside = {
    push: (...kinds) => {
      this.#frames.push(...kinds.map((kind) => ({ kind, cases: 0 })));
      this.#wordStart = true;
    },
    pop: () => void this.#frames.pop(),
    cases: (change) => {
      this.#top.cases = Math.max(0, this.#top.cases + change);
    },
    here: (operator, text) => {
      const word = text.slice(operator.length).trimStart();
      const end = word.replace(/\\(.)|['"]/g, "$1");
      this.#due.push({ end, quoted: end !== word, tabs: operator === "<<-" });
    },
    close: () => {
      if (this.#top.cases > 0 || this.#frames.length === 1) return;
      // Text right behind a substitution is a part of the same word.
      if (this.#frames.pop()?.kind === "substitution") this.#wordStart = false;
    },
  };

  #begin(): void {
    this.#here = this.#due.shift();
    this.#line = "";
    this.#document = "";
  }

  /** Reads a here-document line by line, until its end mark stands alone on a line. */
  #inHere(here: Here, first: string, piece: string, at: number): number {
    if (first === "\n") {
      const isEnd = this.#isEnd(here);
      this.#line = "";
      if (isEnd) {
        this.#here = undefined;
        this.#wordStart = true;
        if (this.#due.length > 0) this.#begin();
      }
      return 1;
    }
    const pair = !here.quoted && (first === "\\" || piece.startsWith("$$", at));
    const token = pair ? piece.slice(at, at + 2) : first;
    this.#dangling = token === "\\" && pair;
    this.#dollar = token === "$" && at === piece.length - 1;
    this.#line += token === "\\\n" ? "" : token;
    this.#document += first === "\\" ? "" : token;
    return token.length;
  }

  #isEnd({ end, tabs }: Here): boolean {
    return (tabs ? this.#line.replace(/^\t+/, "") : this.#line) === end;
  }

  #placeInHere({ quoted }: Here): ShellPlace {
    if (quoted) return "quoted here-document";
    const open = this.#document.replace(/\$\{[^{}$`]*\}|\$\([^()`]*\)/g, "");
    return /`|\$[({[]/.test(open) ? "substitution in a here-document" : "here-document";
  }
}
