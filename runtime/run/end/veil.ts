import { isObject, type Json, type JsonObject, put } from "../../value/json.ts";
import type { Act, ItemVeil } from "../run.ts";
import { hiddenReasons } from "./internal-errors.ts";
import { shownEntry, shownError } from "./reply.ts";

/**
 * Hides parts of the items of loops from the answer of a run. Actions of the configuration read the error texts of an item in full; the
 * caller sees only the texts that the run itself would show. Members of items are recognised by identity. In the data of the loop itself
 * they are also recognised by their texts, because its transforms may have copied them.
 */
export class Veil implements ItemVeil {
  /** The values that take the place of parts of an item. */
  readonly #shown = new Map<JsonObject, JsonObject>();
  /** Texts that show as "action failed". */
  readonly #internal = new Set<string>();
  /** Texts of actions with `hide_errors`. */
  readonly #hidden = new Set<string>();
  readonly #loops = new Set<Act>();

  /** Notes that the data of an action are those of a loop. */
  loop(act: Act): void {
    this.#loops.add(act);
  }

  /** Notes the texts of a failed action of an item; `entry` is the action's entry in the data of the loop. */
  failed(act: Act, entry: JsonObject | undefined, detail: boolean): void {
    const { error, errors = [], spec } = act;
    if (spec.hide_errors) for (const text of error === undefined ? errors : [error, ...errors]) this.#hidden.add(text);
    else if (error !== undefined && shownError(act, detail) !== error) this.#internal.add(error);
    if (!detail) for (const text of hiddenReasons(act)) this.#internal.add(text);
    if (entry !== undefined) this.#shown.set(entry, shownEntry(act, detail));
  }

  /** Sets the replacement for a part of the data of a loop. */
  replace(part: JsonObject, veiled: JsonObject): void {
    this.#shown.set(part, veiled);
  }

  /** The data of an action as the answer shows them. `data` is what the answer would show without a veil. */
  over(act: Act, data: Json): Json {
    return this.#over(data, this.#loops.has(act));
  }

  #over(value: Json, byText: boolean): Json {
    if (typeof value === "string") return byText && this.#internal.has(value) ? "action failed" : value;
    if (Array.isArray(value)) return value.map((item) => this.#over(item, byText));
    if (!isObject(value)) return value;
    const out: JsonObject = {};
    for (const [key, item] of Object.entries(this.#shown.get(value) ?? value)) {
      if (byText && this.#hides(key, item)) continue;
      put(out, key, this.#over(item, byText));
    }
    return out;
  }

  #hides(key: string, value: Json): boolean {
    if (key === "error") return typeof value === "string" && this.#hidden.has(value);
    return key === "errors" && Array.isArray(value) && value.some((text) => typeof text === "string" && this.#hidden.has(text));
  }
}
