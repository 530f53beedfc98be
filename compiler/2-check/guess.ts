import type { JsonSchema } from "#runtime/features/feature.ts";
import { entry, type Node } from "../1-read/document.ts";
import { nearest } from "../diagnostics/nearest.ts";
import { keyHint } from "../other-tools/keys.ts";
import { formsOf, typeOfNode } from "./forms.ts";
import { typesOf } from "./schema.ts";
import type { Definitions } from "./shapes.ts";

/** A record around a place, with the key that leads to it. Lists of them are sorted from the innermost outwards. */
export interface Around {
  readonly schema: JsonSchema;
  /** Key of the record that leads to the place. */
  readonly key: string;
}

/** An unknown key, and where it stands. */
interface Unknown {
  readonly key: string;
  /** The name of the record. */
  readonly title: string;
  /** The record that lacks the key: its schema, and the record as written. */
  readonly schema: JsonSchema;
  readonly node: Node;
  readonly around: readonly Around[];
}

/** The key that an author probably meant by an unknown one. */
export interface Guess {
  /** A key of the same record that is not used yet: writing it instead mends the mistake. */
  readonly near?: string;
  /** The hint for the author, when another key alone does not mend the mistake. */
  readonly hint?: string;
  /** Keys of the same record that the hint names. */
  readonly named?: readonly string[];
}

/**
 * The best guess, tried from the surest on: a misspelt key; a word of another tool; a key of the record around this one; a key that begins
 * or ends with the word (`tool_name` for `name`); a key of a record further out, or below; a key with the same words among others
 * (`is_equal` for `is_equal_to`).
 */
export function guess({ key, title, schema, node, around }: Unknown, definitions: Definitions): Guess {
  const free = Object.keys(schema.properties ?? {}).filter((one) => entry(node, one) === undefined);
  const near = nearest(key, free);
  const words = keyHint(title, key);
  // A short word of another tool is near to many keys, also to one that cannot have its value.
  if (near !== undefined && (words === undefined || (words.includes(near) && canHave(schema, near, entry(node, key)?.value, definitions))))
    return { near };
  const isPath = title === "Test" && entry(node, key)?.value.kind === "map";
  if (isPath && words === undefined) return { hint: `write 'value: ${key}', and its matchers beside it` };
  const hint =
    words ?? above(key, around.slice(0, 1)) ?? sameEdge(key, free, around) ?? above(key, around) ?? below(key, schema, node, definitions);
  if (hint !== undefined) return { hint, named: quoted(hint).filter((word) => has(schema, word)) };
  const longer = withSameWords(key, free);
  return longer === undefined ? {} : { near: longer };
}

/** False for a list or a map behind a key that takes none; a scalar may have a marker, which stands for any value. */
function canHave({ properties = {} }: JsonSchema, key: string, value: Node | undefined, definitions: Definitions): boolean {
  const types = typesOf(properties[key] ?? {}, definitions);
  return value === undefined || value.kind === "scalar" || types.length === 0 || types.includes(typeOfNode(value));
}

/** The keys that a hint has in quotes, alone or with a value: `schedule` for 'schedule: { cron: … }'. */
const quoted = (hint: string): readonly string[] => [...hint.matchAll(/'([a-z_]+)(?=[':])/g)].map(([, word = ""]) => word);

/**
 * A key of the record that begins or ends with the word. It is a guess only where a record further out has the word as a key, with another
 * meaning.
 */
function sameEdge(key: string, free: readonly string[], around: readonly Around[]): string | undefined {
  const [only, ...others] = free.filter((one) => one.startsWith(`${key}_`) || one.endsWith(`_${key}`));
  const isKnown = around.some(({ schema }) => has(schema, key));
  return !isKnown || only === undefined || others.length > 0 ? undefined : `write '${only}'`;
}

const has = ({ properties }: JsonSchema, key: string): boolean => properties !== undefined && Object.hasOwn(properties, key);

function above(key: string, around: readonly Around[]): string | undefined {
  const level = around.findIndex(({ schema }) => has(schema, key));
  const parent = around[level];
  return parent === undefined ? undefined : `it belongs ${level === 0 ? "one level up, " : ""}beside '${parent.key}'`;
}

/** Only when one record can be meant, or one list of records: the written one, or the only one that has the key. */
function below(key: string, { properties = {} }: JsonSchema, node: Node, definitions: Definitions): string | undefined {
  const holders = Object.keys(properties).filter((name) =>
    formsOf(properties[name] ?? {}, definitions)
      .flatMap((form) => [form, ...formsOf(form.items ?? {}, definitions)])
      .some((form) => has(form, key)),
  );
  const present = holders.filter((name) => entry(node, name) !== undefined);
  const [only, ...others] = present.length > 0 ? present : holders;
  return only === undefined || others.length > 0 ? undefined : `it belongs in '${only}'`;
}

/**
 * The known name that has all words of `name` and the fewest other words; undefined when two are as good. One word says enough only at the
 * beginning: `starts` is `starts_with`, but `keys` would fit half of the transforms.
 */
function withSameWords(name: string, candidates: readonly string[]): string | undefined {
  const words = name.toLowerCase().split("_");
  const longer = candidates
    .map((one) => ({ one, of: one.split("_") }))
    .filter(({ of }) => (words.length === 1 ? of[0] === words[0] : words.every((word) => of.includes(word))))
    .sort((a, b) => a.of.length - b.of.length);
  const [best, second] = longer;
  return best === undefined || best.of.length === second?.of.length ? undefined : best.one;
}
