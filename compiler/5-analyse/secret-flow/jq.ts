import { parseJq } from "../../jq/parse/parse.ts";
import type { Jq } from "../../jq/parse/tree.ts";
import { anywhere, at, changed, clean, elements, inItems, inMembers, isTainted, type Taint, union, whole } from "./taint.ts";

interface Surroundings {
  /** The secrets in the input of the filter. */
  readonly input: Taint;
  readonly variables: ReadonlyMap<string, Taint>;
}

/** The secrets in the outputs of a filter. `text` is undefined when the filter is unknown. Paths, objects and lists are followed. */
export function throughJq(text: string | undefined, input: Taint, variables: ReadonlyMap<string, Taint>): Taint {
  const around = { input, variables };
  if (![input, ...variables.values()].some(isTainted)) return clean;
  if (text === undefined) return anything(around);
  try {
    return outputs(parseJq(text), around);
  } catch {
    // The printer cannot print such a filter and leaves it to jq, so the outputs may hold any of the secrets.
    return anything(around);
  }
}

const anything = ({ input, variables }: Surroundings): Taint => changed(union(...[input, ...variables.values()].map(whole)));

/** Functions whose results reveal only the size or the type of a value, or whether it passes a test. */
const telling: ReadonlySet<string> = new Set([
  ...["length", "utf8bytelength", "keys", "keys_unsorted", "has", "in", "type", "not", "any", "all", "isvalid", "empty", "error"],
  ...["test", "contains", "inside", "startswith", "endswith", "now", "true", "false", "null"],
]);

function outputs(jq: Jq, around: Surroundings): Taint {
  const of = (each: Jq): Taint => outputs(each, around);
  switch (jq.kind) {
    case "identity":
      return around.input;
    case "literal":
      return clean;
    case "string":
      return changed(union(...jq.parts.map((part) => (typeof part === "string" ? clean : whole(of(part))))));
    case "format":
      return changed(around.input);
    case "index":
      return indexed(of(jq.of), jq.key);
    case "slice":
      return of(jq.of);
    case "iterate":
      return elements(of(jq.of));
    case "list":
      return jq.items === undefined ? clean : inItems(of(jq.items));
    case "object":
      return union(...jq.entries.map(({ key, value }) => entry(key, of(value), around)));
    case "variable":
      return around.variables.get(jq.name.replace(/^\$/, "")) ?? clean;
    case "pipe":
      return outputs(jq.right, { ...around, input: of(jq.left) });
    case "comma":
      return union(of(jq.left), of(jq.right));
    case "binary":
      return binary(jq, around);
    case "negate":
      return of(jq.of);
    case "if":
      return union(of(jq.yes), jq.no === undefined ? around.input : of(jq.no));
    case "try":
      return union(of(jq.body), jq.handler === undefined ? clean : anything(around));
    case "bind":
      return jq.pattern.kind === "variable"
        ? outputs(jq.body, { ...around, variables: new Map(around.variables).set(jq.pattern.name.replace(/^\$/, ""), of(jq.source)) })
        : anything(around);
    case "call":
      return called(jq, around);
    case "recurse":
    case "assign":
    case "reduce":
    case "foreach":
    case "define":
    case "label":
      return anything(around);
  }
}

function indexed(of: Taint, key: Jq): Taint {
  if (key.kind === "literal" && typeof key.value === "number") return at(of, [key.value]);
  const name = literalText(key);
  return name === undefined ? whole(of) : at(of, [name]);
}

function entry(key: Jq, value: Taint, around: Surroundings): Taint {
  const name = literalText(key);
  if (name !== undefined) return inMembers([[name, value]]);
  return anywhere([...whole(value).anywhere, ...whole(outputs(key, around)).anywhere]);
}

function literalText(jq: Jq): string | undefined {
  const [only = "", ...more] = jq.kind === "string" && jq.format === undefined ? jq.parts : [undefined];
  return jq.kind === "string" && typeof only === "string" && more.length === 0 ? only : undefined;
}

function binary({ operator, left, right }: Extract<Jq, { kind: "binary" }>, around: Surroundings): Taint {
  const both = union(outputs(left, around), outputs(right, around));
  switch (operator) {
    case "or":
    case "and":
    case "==":
    case "!=":
    case "<":
    case "<=":
    case ">":
    case ">=":
      return clean;
    case "//":
      return both;
    case "+":
    case "-":
    case "*":
    case "/":
    case "%":
      // Objects are merged member by member.
      return both;
  }
}

function called({ name, args }: Extract<Jq, { kind: "call" }>, around: Surroundings): Taint {
  if (telling.has(name)) return clean;
  const [first] = args;
  if (first === undefined) return changed(anything(around));
  if (name === "select") return around.input;
  if (name === "map") return inItems(outputs(first, { ...around, input: elements(around.input) }));
  return anything(around);
}
