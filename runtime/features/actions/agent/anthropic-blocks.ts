import { parseJson } from "../../../formats/json-text.ts";
import { asObject, type Json, type JsonObject } from "../../../value/json.ts";
import { at } from "../../../value/values.ts";
import { textOf } from "./parts.ts";

/**
 * The content of an answer of Anthropic, made from the events of its stream: the blocks in their order, each with the deltas that were
 * added to it.
 */
export function joinedBlocks(events: readonly Json[]): readonly Json[] {
  const blocks = new Map<string, Block>();
  for (const event of events) {
    const place = String(at(event, "index"));
    if (at(event, "type") === "content_block_start") blocks.set(place, new Block(at(event, "content_block")));
    else if (at(event, "type") === "content_block_delta") blocks.get(place)?.add(at(event, "delta"));
  }
  return [...blocks.values()].map((block) => block.value);
}

/** The texts that a delta adds to, by its type. */
const texts: ReadonlyMap<string, string> = new Map([
  ["text_delta", "text"],
  ["thinking_delta", "thinking"],
  ["signature_delta", "signature"],
  ["input_json_delta", "partial_json"],
]);

class Block {
  readonly #start: JsonObject;
  readonly #added = new Map<string, string[]>();

  constructor(start: Json) {
    this.#start = asObject(start);
  }

  add(delta: Json): void {
    const name = texts.get(textOf(at(delta, "type")));
    if (name === undefined) return;
    const parts = this.#added.get(name);
    const part = textOf(at(delta, name));
    if (parts === undefined) this.#added.set(name, [part]);
    else parts.push(part);
  }

  get value(): Json {
    const { partial_json, ...added } = Object.fromEntries([...this.#added].map(([name, parts]) => [name, parts.join("")]));
    const before = Object.entries(added).map(([name, text]) => [name, textOf(this.#start[name] ?? null) + text]);
    return { ...this.#start, ...Object.fromEntries(before), ...(partial_json === undefined ? {} : { input: inputOf(partial_json) }) };
  }
}

/** The arguments of a call. A text that is no JSON object gives none, as for a call whose block we write ourselves. */
function inputOf(text: string): JsonObject {
  const value = parseJson(text);
  return asObject(value);
}
