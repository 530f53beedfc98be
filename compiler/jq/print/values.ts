import { block, type Code, code, list, lit, parenthesised, property } from "../../6-print/code.ts";
import type { Jq } from "../parse/tree.ts";
import { callValue } from "./calls.ts";
import { firstOf, isHeaded, isSingle, isSure } from "./cardinality.ts";
import { constant, Falls, requirePlainNumber } from "./constants.ts";
import { bound } from "./patterns.ts";
import { arrow, at, call, elementOf, helper, hintOf, type JqPlace, parameters, thunk } from "./place.ts";
import { logical, single, test } from "./single.ts";
import { emitted } from "./streams.ts";
import { assignment } from "./updates.ts";

/** Prints a filter that has one output as an expression. */
export function value(jq: Jq, p: JqPlace): Code {
  switch (jq.kind) {
    case "identity":
      return p.input;
    case "literal":
      requirePlainNumber(jq);
      return lit(jq.value);
    case "string":
      return text(jq, p);
    case "format":
      return format(jq.name, p.input, jq);
    case "index":
      return index(jq, p);
    case "slice":
      return slice(jq, p);
    case "list":
      return listValue(jq, p);
    case "object":
      return object(jq, p);
    case "variable":
      return p.variables.get(jq.name) ?? fallen(`$${jq.name}`, jq);
    case "pipe":
      return pipe(jq, p);
    case "binary":
      return binary(jq, p);
    case "assign":
      return assignment(jq, p);
    case "negate":
      return constant(jq) === undefined ? call(helper("negative"), value(jq.of, p)) : lit(constant(jq) ?? null);
    case "if":
      return code`(${test(jq.test, p)} ? ${value(jq.yes, p)} : ${jq.no === undefined ? p.input : value(jq.no, p)})`;
    case "try":
      return attempt(jq, p);
    case "reduce":
      return reduce(jq, p);
    case "bind":
      return call(
        helper("pipe"),
        value(jq.source, p),
        arrow(p, patternName(jq), (inner) => value(jq.body, { ...bound(jq.pattern, inner), input: p.input })),
      );
    case "call":
      return callValue(jq, p);
    case "recurse":
    case "iterate":
    case "comma":
    case "foreach":
    case "define":
    case "label":
      throw new Falls("several outputs where one is needed", jq);
  }
}

const fallen = (reason: string, jq: Jq): never => {
  throw new Falls(reason, jq);
};

const patternName = ({ pattern }: Extract<Jq, { kind: "bind" }>): string => (pattern.kind === "variable" ? pattern.name : "value");

function text(jq: Extract<Jq, { kind: "string" }>, p: JqPlace): Code {
  const { parts } = jq;
  const partText = (part: Jq): Code => {
    const printed = single(part, p);
    return jq.format === undefined ? call(helper("tostring"), printed) : format(jq.format, printed, jq);
  };
  if (parts.every((part) => typeof part === "string")) return lit(parts.join(""));
  const filters = parts.filter((part) => typeof part !== "string");
  if (filters.length > 1) return call(helper("interpolated"), lit(literals(parts)), ...filters.map((part) => thunk(partText(part))));
  return list(
    parts.map((part) => (typeof part === "string" ? lit(part) : partText(part))),
    " + ",
  );
}

/** The texts before, between and behind the filters of a string. */
function literals(parts: readonly (string | Jq)[]): string[] {
  const texts = [""];
  for (const part of parts) {
    if (typeof part === "string") texts[texts.length - 1] += part;
    else texts.push("");
  }
  return texts;
}

const formats: Readonly<Record<string, string>> = { "@text": "tostring", "@json": "tojson", "@base64": "base64", "@uri": "uri" };

function format(name: string, of: Code, jq: Jq): Code {
  const helperName = Object.hasOwn(formats, name) ? formats[name] : undefined;
  return helperName === undefined ? fallen(name, jq) : call(helper(helperName), of);
}

/** Prints an index step. A path of plain keys becomes one call. */
function index(jq: Extract<Jq, { kind: "index" }>, p: JqPlace): Code {
  const keys: (string | number)[] = [];
  let of: Jq = jq;
  while (of.kind === "index" && !of.optional) {
    const key = constant(of.key);
    if (typeof key !== "string" && typeof key !== "number") break;
    value(of.key, p);
    keys.unshift(key);
    of = of.of;
  }
  const [only, ...more] = keys;
  if (only !== undefined) return call(helper(more.length === 0 ? "get" : "path"), single(of, p), lit(more.length === 0 ? only : keys));
  return ordered("index", jq.of, jq.key, p);
}

function slice(jq: Extract<Jq, { kind: "slice" }>, p: JqPlace): Code {
  const bounds = [jq.from, jq.to].map((bound) => (bound === undefined ? null : constant(bound)));
  if (bounds.some((bound) => bound !== null && typeof bound !== "number")) throw new Falls("a slice with computed bounds", jq);
  return call(helper("slice"), single(jq.of, p), ...bounds.map((bound) => lit(bound ?? null)));
}

function listValue({ items }: Extract<Jq, { kind: "list" }>, p: JqPlace): Code {
  if (items === undefined) return code`[]`;
  const parts = commas(items);
  if (parts.every(isSingle)) return code`[${list(parts.map((part) => value(part, p)))}]`;
  return call(helper("collect"), emitted(items, p));
}

const commas = (jq: Jq): readonly Jq[] => (jq.kind === "comma" ? [...commas(jq.left), ...commas(jq.right)] : [jq]);

/** Prints an object. It is a literal if JavaScript keeps the order of all keys. */
function object({ entries }: Extract<Jq, { kind: "object" }>, p: JqPlace): Code {
  const keys = entries.map(({ key }) => constant(key));
  const isPlain = keys.every((key) => typeof key === "string" && !/^\d|^__proto__$/.test(key)) && new Set(keys).size === keys.length;
  if (entries.length === 0) return code`{}`;
  if (!isPlain) return computed(entries, p);
  const members = entries.map(({ value: of }, i) => code`${property(String(keys[i]))}: ${single(of, p)}`);
  const isLong = members.some((member) => member.includes("\n")) || members.reduce((all, member) => all + member.length, 0) > 100;
  return isLong
    ? block(
        "{",
        members.map((member) => code`${member}`),
        "}",
        "",
      )
    : code`{ ${list(members)} }`;
}

/**
 * Prints an object with computed keys. jq checks a key before it evaluates the next member, so when several parts may fail, the filter
 * falls back to jq.
 */
function computed(entries: Extract<Jq, { kind: "object" }>["entries"], p: JqPlace): Code {
  const object = call(helper("object"), ...entries.map(({ key, value: of }) => code`[${single(key, p)}, ${single(of, p)}]`));
  const isPlain = entries.length === 1 || entries.every(({ key }) => typeof constant(key) === "string");
  return isPlain ? object : call(helper("inAnyOrder"), thunk(object));
}

function pipe({ left, right }: Extract<Jq, { kind: "pipe" }>, p: JqPlace): Code {
  const of = single(left, p);
  if (isHeaded(right) || /^\w+$/.test(of)) return single(right, at(p, of));
  return call(
    helper("pipe"),
    of,
    arrow(p, hintOf(left), (inner) => single(right, inner)),
  );
}

const operators: Readonly<Record<string, string>> = {
  "==": "equal",
  "!=": "unequal",
  "<": "below",
  "<=": "atMost",
  ">": "above",
  ">=": "atLeast",
  "+": "plus",
  "-": "minus",
  "*": "times",
  "/": "divided",
  "%": "remainder",
};

function binary(jq: Extract<Jq, { kind: "binary" }>, p: JqPlace): Code {
  const { operator, left, right } = jq;
  switch (operator) {
    case "//":
      return call(helper("otherwise"), orNull(left, p), thunk(single(right, p)));
    case "and":
    case "or":
      return code`(${logical(jq, p)})`;
    default:
      return ordered(operators[operator] ?? fallen(operator, jq), left, right, p);
  }
}

/** Prints a filter on the left of `//`, where no output counts as null. */
function orNull(jq: Jq, p: JqPlace): Code {
  const filter = firstOf(jq);
  if (filter !== undefined) return code`${call(helper("firstOf"), emitted(filter, p))} ?? null`;
  if (jq.kind === "try" && jq.handler === undefined) return orNothing(single(jq.body, p));
  if (jq.kind !== "index" || !jq.optional) return single(jq, p);
  const input = { kind: "identity", start: jq.start, end: jq.start } as const;
  const step = (inner: JqPlace): Code => orNothing(single({ ...jq, of: input, optional: false }, inner));
  const of = orNull(jq.of, p);
  return /^\w+$/.test(of) ? step(at(p, of)) : call(helper("pipe"), of, arrow(p, hintOf(jq.of), step));
}

const orNothing = (of: Code): Code => code`${call(helper("orNothing"), thunk(of))} ?? null`;

/** Prints a call with two operands. jq evaluates the right operand first, which matters when both may fail. */
function ordered(fn: string, left: Jq, right: Jq, p: JqPlace): Code {
  if (isSure(left) || isSure(right)) return call(helper(fn), single(left, p), single(right, p));
  return call(helper("rightFirst"), single(right, p), single(left, p), helper(fn));
}

function attempt(jq: Extract<Jq, { kind: "try" }>, p: JqPlace): Code {
  if (jq.handler === undefined) throw new Falls("several outputs where one is needed", jq);
  const { handler } = jq;
  return call(
    helper("caught"),
    thunk(single(jq.body, p)),
    arrow(p, "error", (inner) => single(handler, inner)),
  );
}

/** Prints `reduce`. The input of the update is the current result. */
function reduce(jq: Extract<Jq, { kind: "reduce" }>, p: JqPlace): Code {
  if (!isSingle(jq.update)) throw new Falls("an update with several outputs", jq.update);
  const sum = p.names.fresh("sum");
  const item = p.names.fresh(jq.pattern.kind === "variable" ? jq.pattern.name : elementOf(jq.source));
  const inner = { ...bound(jq.pattern, at(p, item)), input: sum };
  const update = value(jq.update, inner);
  const change = code`(${parameters([sum, item], update)}) => ${parenthesised(update)}`;
  return call(helper("reduce"), emitted(jq.source, p), single(jq.initial, p), change);
}
