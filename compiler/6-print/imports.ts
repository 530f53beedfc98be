import { type FacadeName, facade } from "#generated/facade.ts";
import type { Fill } from "#runtime/plan/index.ts";
import { InternalError } from "../diagnostics/diagnostic.ts";
import { type Code, code, name } from "./code.ts";

/** A printed filter: its function, and whether it takes the instant as last argument. */
export interface PrintedFilter {
  readonly fn: Code;
  readonly clock: boolean;
}

/** The facts about filters that the printer needs to call them; they come from generated/features.ts. */
export interface FilterTable {
  readonly [filter: string]: { readonly name: string; readonly clock: boolean };
}

/** The one import of a printed module. */
export const importLine = code`import * as pw from "pipewright/runtime";`;

/** Names in every module, which no interface may have. */
export const moduleWords: readonly string[] = ["pw", "config", "needs"];

/** Names that printed functions define. A variable that such a function reads may not have one of these names. */
export const guardedWords: readonly string[] = [...moduleWords, "cx", "act", "data", "before", "t", "e", "field"];

/** The functions of `pipewright/runtime` that one module calls, as `pw.NAME`. */
export class Imports {
  readonly #used = new Set<FacadeName>();
  readonly #filters: FilterTable;

  constructor(filters: FilterTable) {
    this.#filters = filters;
  }

  use(helper: FacadeName): Code {
    this.#used.add(helper);
    return code`pw.${name(helper)}`;
  }

  /** A function of runtime/value/values.ts. The coercions get the names `as…`, because their own names are names of types. */
  value(helper: string): Code {
    return this.#word(coercions[helper] ?? helper);
  }

  fill(fill: Fill): Code {
    return this.#word(fill === "regex" || fill === "like" || fill === "css" ? `${fill}_text` : fill);
  }

  filter(filter: string): PrintedFilter {
    const feature = this.#filters[filter];
    if (feature === undefined) throw new InternalError(`unknown filter ${filter}`);
    return { fn: this.#word(`${feature.name}_filter`), clock: feature.clock };
  }

  /** A transform, a matcher, an action, a database driver or a store of secrets, by the word of the YAML. */
  feature(feature: string): Code {
    return this.#word(feature);
  }

  /**
   * Stage 1 of a feature. The other forms need less of the runtime: `native` for a pattern that JavaScript runs itself, `plain` for
   * arguments without a filter.
   */
  prepare(feature: string, form: "prepare" | "native" | "plain" = "prepare"): Code {
    return this.#word(`${feature}_${form}`);
  }

  /** The function that tells whether a matcher passes, without the text of a failure. */
  holds(matcher: string): Code {
    return this.#word(`${matcher}_holds`);
  }

  /** The synchronous form of a matcher that waits for some operands. */
  atOnce(matcher: string): Code {
    return this.#word(`${matcher}_at_once`);
  }

  /** Imports the namespace that compiled filters of jq call. */
  jq(): void {
    for (const helper of names) if (helper.startsWith("jq_")) this.#used.add(helper);
  }

  /** The names of the used functions, sorted. */
  used(): readonly FacadeName[] {
    return [...this.#used].sort();
  }

  #word(word: string): Code {
    if (!isName(word)) throw new InternalError(`pipewright/runtime has no ${word}`);
    return this.use(word);
  }
}

const coercions: Readonly<Record<string, FacadeName>> = {
  string: "asString",
  strings: "asStrings",
  number: "asNumber",
  integer: "asInteger",
  boolean: "asBoolean",
};

const names = Object.keys(facade) as FacadeName[]; // keys of a literal

const isName = (word: string): word is FacadeName => Object.hasOwn(facade, word);
