import { type Code, isReserved, name } from "./code.ts";

/** Chooses identifiers: named after the source, other characters become `_`, a clash takes `_2` in YAML order (house rule 3). */
export class Names {
  readonly #taken: Set<string>;
  readonly #chosen = new Map<string, Code>();

  constructor(taken: Iterable<string>) {
    this.#taken = new Set(taken);
  }

  /** The identifier of a source name; the same name gives the same identifier. */
  of(source: string): Code {
    const known = this.#chosen.get(source);
    if (known !== undefined) return known;
    const chosen = this.fresh(source);
    this.#chosen.set(source, chosen);
    return chosen;
  }

  /** An identifier that nobody has yet. */
  fresh(source: string): Code {
    const word = source.replace(/[^A-Za-z0-9_$]/g, "_").replace(/^(?=\d|$)/, "_");
    let candidate = word;
    for (let n = 2; this.#taken.has(candidate) || isReserved(candidate); n++) candidate = `${word}_${n}`;
    this.#taken.add(candidate);
    return name(candidate);
  }
}
