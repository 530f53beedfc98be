import type { JsonSchema } from "#runtime/features/feature.ts";
import { notNull } from "#runtime/languages/schema/json-schema.ts";
import type { Step } from "#runtime/plan/index.ts";
import type { Json } from "#runtime/value/json.ts";
import { isJsonNumber } from "#runtime/value/values.ts";

/**
 * The most positions of a list for which a schema is written. The limit is needed because every position before the last one is written,
 * too.
 */
const maxPositions = 32;

/** The facts that tests state about one value and the values inside it, gathered path by path. */
export class StatedFacts {
  readonly #facts: JsonSchema[] = [];
  readonly #properties = new Map<string, StatedFacts>();
  /** The elements of a list, by their index. */
  readonly #elements = new Map<number, StatedFacts>();
  #required = false;
  #isNumber = false;
  #preset: Json | undefined;
  #description: string | undefined;

  get isEmpty(): boolean {
    return this.#facts.length === 0 && this.#preset === undefined && this.#properties.size === 0 && this.#elements.size === 0;
  }

  /** The facts about the value at a path. An index means only that element of a list. */
  at([step, ...rest]: readonly Step[]): StatedFacts {
    if (step === undefined) return this;
    if (typeof step === "number" || /^\d+$/.test(step)) {
      const index = Number(step);
      const element = this.#elements.get(index) ?? new StatedFacts();
      this.#elements.set(index, element);
      return element.at(rest);
    }
    const property = this.#properties.get(step) ?? new StatedFacts();
    this.#properties.set(step, property);
    return property.at(rest);
  }

  /** States that the value at a path, and every value on the way to it, is never missing. */
  require([step, ...rest]: readonly Step[]): void {
    this.#required = true;
    if (step !== undefined) this.at([step]).require(rest);
  }

  /** Adds a fact. Its facts about members and elements are stored there. With `isSure`, the members that it requires are never missing. */
  add({ properties = {}, required = [], prefixItems = [], ...fact }: JsonSchema, isSure: boolean): void {
    this.#facts.push(fact);
    for (const [index, inner] of prefixItems.entries()) this.at([index]).add(inner, isSure);
    for (const [key, inner] of Object.entries(properties)) this.at([key]).add(inner, isSure);
    if (isSure) for (const key of required) this.require([key]);
  }

  /** States that a text is read as a number: facts about the text then become facts about the number. */
  number(): void {
    this.#isNumber = true;
  }

  /** The value that stands for a missing one. */
  preset(value: Json): void {
    this.#preset = value;
  }

  describe(description: string): void {
    this.#description ??= description;
  }

  /** JSON Schema 2020-12 of the value. Properties and `required` stand in the order of their first test. */
  schema(): JsonSchema {
    const structure = this.#structure();
    const facts = this.#isNumber ? [{ type: "number" }, ...this.#facts.map(ofNumber)] : this.#facts;
    const own = merge([...(structure === undefined ? [] : [{ type: structure }]), ...facts, this.#byPosition()]);
    const required = [...this.#properties].filter(([, member]) => member.#required).map(([name]) => name);
    return {
      ...own,
      ...(this.#preset === undefined ? {} : { default: presetOf(this.#preset, own.type) }),
      ...(this.#description === undefined ? {} : { description: this.#description }),
      ...(this.#properties.size === 0
        ? {}
        : { properties: Object.fromEntries([...this.#properties].map(([name, member]) => [name, member.schema()])) }),
      ...(required.length === 0 ? {} : { required }),
    };
  }

  /** The schemas of the elements by position, and the least length: a list has at least the elements that are never missing. */
  #byPosition(): JsonSchema {
    const all = [...this.#elements];
    const least = Math.max(0, ...all.filter(([, element]) => element.#required).map(([index]) => index + 1));
    const count = Math.max(0, ...all.filter(([index]) => index < maxPositions).map(([index]) => index + 1));
    const prefixItems = Array.from({ length: count }, (_, index) => this.#elements.get(index)?.schema() ?? {});
    return { ...(least === 0 ? {} : { minItems: least }), ...(count === 0 ? {} : { prefixItems }) };
  }

  /** The type of a value with parts; undefined when its parts contradict each other. */
  #structure(): string | undefined {
    if (this.#properties.size > 0) return this.#elements.size === 0 ? "object" : undefined;
    return this.#elements.size === 0 ? undefined : "array";
  }
}

/** Turns a fact about a text into one about the number that the text is, as far as it can: fixed texts become numbers. */
function ofNumber({ type, const: constant, enum: words, ...fact }: JsonSchema): JsonSchema {
  const isNumber = type === "number" || type === "integer" || (typeof type === "object" && type.includes("number"));
  return {
    ...(isNumber ? { type } : {}),
    ...fact,
    ...(constant === undefined ? {} : { const: asNumber(constant) }),
    ...(words === undefined ? {} : { enum: words.map(asNumber) }),
  };
}

const asNumber = (value: Json): Json => (typeof value === "string" && isJsonNumber(value) ? Number(value) : value);

/** A default is text like any other parameter; it is shown as the value that the text is read as. */
function presetOf(preset: Json, type: JsonSchema["type"]): Json {
  if (type === "number" || type === "integer") return asNumber(preset);
  return type === "boolean" && (preset === "true" || preset === "false") ? preset === "true" : preset;
}

/** Keywords that speak of one type only; a schema whose type is known keeps no others. */
const keywordsOf: Readonly<Record<string, readonly string[]>> = {
  string: ["minLength", "maxLength", "pattern", "format"],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
  array: ["minItems", "maxItems", "contains", "minContains", "items", "prefixItems"],
};

/** All facts at once: the strictest bound is kept, and values of a keyword that cannot be joined stand in `allOf`. */
function merge(schemas: readonly JsonSchema[]): JsonSchema {
  const facts = schemas.flatMap((fact) => decided(fact, commonType(schemas)));
  const type = commonType(facts);
  const values = new Map<string, Json[]>();
  for (const fact of facts) {
    for (const [keyword, value] of Object.entries(fact) as [string, Json][]) {
      if (keyword === "type" || !speaksOf(keyword, type) || (type !== undefined && isNotNull(keyword, value))) continue;
      values.set(keyword, joined(keyword, values.get(keyword) ?? [], value));
    }
  }
  const out: Record<string, Json> = type === undefined ? {} : { type };
  const rest: JsonSchema[] = [];
  for (const [keyword, [first = null, ...more]] of values) {
    if (more.length === 0) out[keyword] = first;
    else for (const value of [first, ...more]) rest.push({ [keyword]: value });
  }
  return rest.length === 0 ? out : { ...out, allOf: rest };
}

/** A type keyword excludes null by itself. */
const isNotNull = (keyword: string, value: Json): boolean => keyword === "not" && JSON.stringify(value) === JSON.stringify(notNull.not);

/** The values of a keyword, all of which must hold: one value where they can be joined. */
function joined(keyword: string, values: Json[], value: Json): Json[] {
  const [first] = values;
  if (typeof first === "number" && typeof value === "number" && /^(?:exclusive)?(?:min|max)/i.test(keyword)) {
    return [/min/i.test(keyword) ? Math.max(first, value) : Math.min(first, value)];
  }
  if (values.some((one) => JSON.stringify(one) === JSON.stringify(value))) return values;
  return keyword === "description" && first !== undefined ? [`${first} ${value}`] : [...values, value];
}

/**
 * Chooses the part of a fact that concerns this type, when the fact has one for a text and one for a list; the first part when no type is
 * known (spec/surfaces 6.1).
 */
function decided({ anyOf, ...fact }: JsonSchema, type: string | undefined): readonly JsonSchema[] {
  if (anyOf === undefined) return [fact];
  const fitting = anyOf.find((one) => one.type === type) ?? anyOf.find((one) => one.type === undefined) ?? anyOf[0];
  return fitting === undefined ? [fact] : [fitting, fact];
}

function speaksOf(keyword: string, type: string | undefined): boolean {
  const owner = Object.keys(keywordsOf).find((name) => keywordsOf[name]?.includes(keyword));
  return owner === undefined || type === undefined || owner === (isNumeric(type) ? "number" : type);
}

/**
 * The type that the facts with exactly one type agree on. Facts with several types do not count then, because their tests pass more than
 * their keywords say. Without a fact with one type it is the first, likeliest type that every fact allows. Undefined when the facts
 * contradict each other (spec/surfaces 6.1).
 */
function commonType(facts: readonly JsonSchema[]): string | undefined {
  const lists = facts.flatMap(({ type }) => (type === undefined ? [] : [typeof type === "string" ? [type] : type]));
  const explicit = [...new Set(lists.filter(({ length }) => length === 1).flat())];
  if (explicit.length > 0) return explicit.length === 1 ? explicit[0] : explicit.every(isNumeric) ? "integer" : undefined;
  const [narrowest = []] = [...lists].sort((a, b) => a.length - b.length);
  return narrowest.find((type) => lists.every((types) => types.includes(type)));
}

const isNumeric = (type: string): boolean => type === "number" || type === "integer";

/** The fact for a test that ignores case: fixed texts become patterns, also inside `contains`, `items` and alternatives. */
export function caseless(fact: JsonSchema, pattern: (text: string) => string): JsonSchema {
  const { const: constant, enum: words, pattern: part, contains, not, anyOf, items, ...rest } = fact;
  const inner = (schema: JsonSchema): JsonSchema => caseless(schema, pattern);
  const parts = (contains?.enum ?? []).filter((one) => typeof one === "string").map(pattern);
  return {
    ...rest,
    ...caselessWords(words ?? (constant === undefined ? [] : [constant]), pattern),
    ...(part === undefined || parts.length === 0 ? {} : { pattern: parts.join("|") }),
    ...(contains === undefined ? {} : { contains: inner(contains) }),
    ...(not === undefined ? {} : { not: inner(not) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(inner) }),
    ...(items === undefined ? {} : { items: inner(items) }),
  };
}

/** A schema for one of these values. Only texts have upper and lower case. */
function caselessWords(words: readonly Json[], pattern: (text: string) => string): JsonSchema {
  const texts = words.filter((word) => typeof word === "string");
  const others = words.filter((word) => typeof word !== "string");
  const [only, ...more] = others;
  const folded: JsonSchema = { type: "string", pattern: `^(?:${texts.map(pattern).join("|")})$` };
  if (only === undefined) return texts.length === 0 ? {} : folded;
  const exact: JsonSchema = more.length === 0 ? { const: only } : { enum: others };
  return texts.length === 0 ? exact : { anyOf: [exact, folded] };
}
