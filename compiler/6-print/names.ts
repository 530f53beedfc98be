import { type Code, isReserved, name } from "./code.ts";

/**
 * Chooses identifiers: the name in the YAML with other characters as `_`; a second one with the same name gets `_2`, in the order of the
 * YAML.
 */
export class Names {
  readonly #taken: Set<string>;
  readonly #chosen = new Map<string, Code>();

  constructor(names: Iterable<string>) {
    this.#taken = new Set(names);
  }

  /**
   * The identifier of a source name; the same name gives the same identifier. `kind` is appended to a name that is a word of JavaScript or
   * taken: `default_action`.
   */
  of(source: string, kind?: string): Code {
    const name = this.#chosen.get(source);
    if (name !== undefined) return name;
    const fresh = this.fresh(source, kind);
    this.#chosen.set(source, fresh);
    return fresh;
  }

  /** Reserves names: later identifiers never get one of them. */
  keepFree(words: Iterable<string>): void {
    for (const word of words) this.#taken.add(word);
  }

  /** An identifier that is still free: the source name itself, else with the ending, else with a number. */
  fresh(source: string, ending = ""): Code {
    const isFree = (candidate: string): boolean => !this.#taken.has(candidate) && !isReserved(candidate);
    const word = wordOf(source).replace(/^(?=\d|$)/, "_");
    const ended = ending === "" ? word : `${word}_${wordOf(ending)}`;
    let candidate = isFree(word) ? word : ended;
    for (let n = 2; !isFree(candidate); n++) candidate = `${ended}_${n}`;
    this.#taken.add(candidate);
    return name(candidate);
  }
}

const wordOf = (text: string): string => text.replace(/[^A-Za-z0-9_$]/g, "_");

/** `posts/create` as `PostsCreate`. */
export const pascal = (name: string): string =>
  name.replace(/(?:^|[^A-Za-z0-9]+)([A-Za-z0-9]?)/g, (_, first: string) => first.toUpperCase());
