/** The kind of place of a marker in a filter. */
export type Position = "code" | "string" | "comment";

/** Follows the text of a filter and tracks open strings, and filters that are interpolated into them. */
export class Cursor {
  /** One entry for each open string: the number of open parentheses in the filter around it. */
  readonly #open: number[] = [];
  #depth = 0;
  #position: Position = "code";
  #last = "";

  get position(): Position {
    return this.#position;
  }

  /** The character before the current place: a hole behind a dot cannot become a variable. */
  get last(): string {
    return this.#last;
  }

  /** Passes literal text. */
  pass(text: string): void {
    for (const [token] of text.matchAll(/\\?./gs)) {
      switch (this.#position) {
        case "comment":
          if (token.endsWith("\n")) this.#position = "code";
          break;
        case "string":
          this.#inString(token);
          break;
        case "code":
          for (const character of token) this.#inCode(character);
      }
      this.#last = token.at(-1) ?? "";
    }
  }

  #inString(token: string): void {
    if (token === "\\(") {
      this.#open.push(this.#depth);
      this.#depth = 0;
      this.#position = "code";
    } else if (token === '"') this.#position = "code";
  }

  #inCode(character: string): void {
    if (character === '"') this.#position = "string";
    else if (character === "#") this.#position = "comment";
    else if (character === "(") this.#depth += 1;
    else if (character === ")") {
      const around = this.#depth === 0 ? this.#open.pop() : undefined;
      if (around === undefined) this.#depth -= 1;
      else {
        this.#depth = around;
        this.#position = "string";
      }
    }
  }
}
