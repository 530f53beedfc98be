import type { JsonSchema } from "#runtime/feature.ts";
import type { Json } from "#runtime/json.ts";
import type { Step } from "#runtime/plan.ts";

/** What tests say of one value and of the values inside it, gathered path by path. */
export class Shape {
  readonly #facts: JsonSchema[] = [];
  readonly #properties = new Map<string, Shape>();
  #items: Shape | undefined;
  #required = false;
  #description: string | undefined;

  get isEmpty(): boolean {
    return this.#facts.length === 0 && this.#properties.size === 0 && this.#items === undefined;
  }

  /** The value at a path. An index means the elements of a list, all alike. */
  at([step, ...rest]: readonly Step[]): Shape {
    if (step === undefined) return this;
    if (typeof step === "number" || /^\d+$/.test(step)) {
      this.#items ??= new Shape();
      return this.#items.at(rest);
    }
    const known = this.#properties.get(step) ?? new Shape();
    this.#properties.set(step, known);
    return known.at(rest);
  }

  /** Says that the value at a path is never missing, and with it whatever leads there. */
  require([step, ...rest]: readonly Step[]): void {
    this.#required = true;
    if (step !== undefined) this.at([step]).require(rest);
  }

  /** What a fact says of members is theirs. `isSure`: those that it requires are never missing. */
  add({ properties = {}, required = [], ...fact }: JsonSchema, isSure: boolean): void {
    this.#facts.push(fact);
    for (const [key, inner] of Object.entries(properties)) this.at([key]).add(inner, isSure);
    if (isSure) for (const key of required) this.require([key]);
  }

  describe(description: string): void {
    this.#description ??= description;
  }

  /** JSON Schema 2020-12 of the value. Properties and `required` stand in the order of their first test. */
  schema(): JsonSchema {
    const structure = this.#structure();
    const own = merge(structure === undefined ? this.#facts : [{ type: structure }, ...this.#facts]);
    const required = [...this.#properties].filter(([, shape]) => shape.#required).map(([name]) => name);
    return {
      ...own,
      ...(this.#description === undefined ? {} : { description: this.#description }),
      ...(this.#properties.size === 0
        ? {}
        : { properties: Object.fromEntries([...this.#properties].map(([name, shape]) => [name, shape.schema()])) }),
      ...(required.length === 0 ? {} : { required }),
      ...(this.#items === undefined ? {} : { items: this.#items.schema() }),
    };
  }

  /** What a value with parts is; unsaid when its parts contradict each other. */
  #structure(): string | undefined {
    if (this.#properties.size > 0) return this.#items === undefined ? "object" : undefined;
    return this.#items === undefined ? undefined : "array";
  }
}

/** Keywords that speak of one type only; a schema whose type is known keeps no others. */
const keywordsOf: Readonly<Record<string, readonly string[]>> = {
  string: ["minLength", "maxLength", "pattern", "format"],
  number: ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"],
  array: ["minItems", "maxItems", "contains", "minContains", "items"],
};

/** All facts at once: bounds tighten, and what cannot be joined stands in `allOf`. */
function merge(facts: readonly JsonSchema[]): JsonSchema {
  const type = commonType(facts);
  const out: Record<string, Json> = type === undefined ? {} : { type };
  const rest: JsonSchema[] = [];
  for (const fact of facts) {
    for (const [keyword, value] of Object.entries(fact) as [string, Json][]) {
      if (keyword === "type" || !speaksOf(keyword, type)) continue;
      const known = out[keyword];
      if (known === undefined) out[keyword] = value;
      else if (typeof known === "number" && typeof value === "number" && /^(?:exclusive)?(?:min|max)/i.test(keyword)) {
        out[keyword] = /min/i.test(keyword) ? Math.max(known, value) : Math.min(known, value);
      } else if (JSON.stringify(known) !== JSON.stringify(value)) rest.push({ [keyword]: value });
    }
  }
  return rest.length === 0 ? out : { ...out, allOf: rest };
}

function speaksOf(keyword: string, type: string | undefined): boolean {
  const owner = Object.keys(keywordsOf).find((name) => keywordsOf[name]?.includes(keyword));
  return owner === undefined || type === undefined || owner === type;
}

/** The first type that every fact allows, likeliest first; none when they contradict each other or say nothing (surfaces.md 6.1). */
function commonType(facts: readonly JsonSchema[]): string | undefined {
  const named = facts.flatMap(({ type }) => (type === undefined ? [] : [typeof type === "string" ? [type] : type]));
  const [narrowest = []] = [...named].sort((a, b) => a.length - b.length);
  return narrowest.find((type) => named.every((types) => types.includes(type)));
}

/** The fact without regard to case: fixed texts become patterns, and a pattern that would demand a case is left out. */
export function caseless(fact: JsonSchema, pattern: (text: string) => string): JsonSchema {
  const { const: constant, enum: words, pattern: _pattern, contains: _contains, not: _not, ...rest } = fact;
  const texts = (words ?? [constant]).filter((word) => typeof word === "string");
  if (texts.length > 0) return { ...rest, type: "string", pattern: `^(?:${texts.map(pattern).join("|")})$` };
  return constant === undefined ? rest : { ...rest, const: constant };
}
