import { braced, type Code, code, parenthesised } from "../../6-print/code.ts";
import type { Jq } from "../parse/tree.ts";
import { isHeaded, isKnown, isSingle, isSure, keyOf } from "./cardinality.ts";
import { Falls } from "./constants.ts";
import { bound } from "./patterns.ts";
import { at, call, elementOf, helper, hintOf, type JqPlace, parameters, thunk, uses } from "./place.ts";
import { condition, single } from "./single.ts";

/** Prints the statements that use each output. */
type Next = (output: Code) => readonly Code[];

/** Prints `(emit) => {…}`, which passes every output of a filter to `emit`, in order. */
export function emitted(jq: Jq, p: JqPlace): Code {
  const emit = p.names.fresh("emit");
  const statements = braced(stream(jq, p, (output) => [code`${emit}(${output});`]));
  return code`(${parameters([emit], statements)}) => ${statements}`;
}

/** Prints a filter as statements that pass on each output before they make the next one. */
function stream(jq: Jq, p: JqPlace, next: Next): readonly Code[] {
  if (isSingle(jq)) return next(p.value(jq, p));
  switch (jq.kind) {
    case "pipe":
      return stream(jq.left, p, (output) => named(output, jq.left, jq.right, p, (input) => stream(jq.right, at(p, input), next)));
    case "comma":
      return twice(next, p, (each) => [...stream(jq.left, p, each), ...stream(jq.right, p, each)]);
    case "iterate":
      return stream(jq.of, p, (of) => loop(call(helper(jq.optional ? "eachIfAny" : "each"), of), elementOf(jq), p, next));
    case "index":
    case "slice":
      if (!isKnownStep(jq)) break;
      if (!jq.optional || jq.kind === "slice") return stream(piped(jq), p, next);
      return stream(jq.of, p, (of) => {
        // Only errors of this step are ignored, so its input is evaluated before.
        const step = (inner: Code): readonly Code[] => maybe(p.value({ ...jq, of: input(jq), optional: false }, at(p, inner)), p, next);
        return isName(of) ? step(of) : held(of, hintOf(jq.of), p, step);
      });
    case "if":
      return twice(next, p, (emit) => {
        const no = jq.no === undefined ? emit(p.input) : stream(jq.no, p, emit);
        const rest = no.length === 0 ? code`` : code` else ${braced(no)}`;
        return [code`if (${condition(jq.test, p)}) ${braced(stream(jq.yes, p, emit))}${rest}`];
      });
    case "try":
      if (jq.handler !== undefined || !isSingle(jq.body)) break;
      return maybe(p.value(jq.body, p), p, next);
    case "bind":
      return stream(jq.source, p, (output) => {
        const variable = p.names.fresh(jq.pattern.kind === "variable" ? jq.pattern.name : "value");
        const inner = { ...bound(jq.pattern, at(p, variable)), input: p.input };
        return constant(variable, output, stream(jq.body, inner, next));
      });
    case "binary":
      if (jq.operator !== "//") break;
      return alternatives(jq.left, jq.right, p, next);
    case "call":
      return called(jq, p, next);
    default:
  }
  throw new Falls(constructOf(jq), jq);
}

type Step = Extract<Jq, { kind: "index" | "slice" }>;

/** True for a step with a known key. jq evaluates the key first, and only once. */
const isKnownStep = (jq: Step): boolean =>
  jq.kind === "index" ? isKnown(jq.key) : !jq.optional && [jq.from, jq.to].every((bound) => bound === undefined || isKnown(bound));

/** `.a[].b.c` as `.a[] | .b.c`: the steps behind several outputs become a separate filter. */
function piped(jq: Step): Extract<Jq, { kind: "pipe" }> {
  const { of, start, end } = jq;
  if ((of.kind !== "index" && of.kind !== "slice") || of.optional || !isKnownStep(of) || isSingle(of))
    return { kind: "pipe", left: of, right: { ...jq, of: input(jq) }, start, end };
  const { left, right } = piped(of);
  return { kind: "pipe", left, right: { ...jq, of: right }, start, end };
}

/** Prints the outputs of `//`: everything on its left that counts as true, else its right. */
function alternatives(left: Jq, right: Jq, p: JqPlace, next: Next): readonly Code[] {
  return twice(next, p, (emit) => {
    const flag = p.names.fresh("found");
    const passed = stream(left, p, (output) => {
      const value = p.names.fresh("value");
      const then = braced([code`${flag} = true;`, ...emit(value)]);
      return [code`const ${value} = ${output};`, code`if (${helper("truthy")}(${value})) ${then}`];
    });
    return [code`let ${flag} = false;`, ...passed, code`if (!${flag}) ${braced(stream(right, p, emit))}`];
  });
}

const input = ({ start, end }: Jq): Jq => ({ kind: "identity", start, end });

function called(jq: Extract<Jq, { kind: "call" }>, p: JqPlace, next: Next): readonly Code[] {
  const [first, second] = jq.args;
  switch (keyOf(jq)) {
    case "empty/0":
      return [];
    case "select/1":
      return first === undefined ? [] : [code`if (${condition(first, p)}) ${body(next(p.input))}`];
    case "first/1":
      return first === undefined ? [] : whenFound(call(helper("firstOf"), emitted(first, p)), p, next);
    case "range/1":
    case "range/2":
    case "range/3":
      return loop(call(helper("range"), ...bounds(second === undefined ? [zero, ...jq.args] : jq.args, p)), "i", p, next);
    default:
      break;
  }
  const kind = Object.hasOwn(kinds, keyOf(jq)) ? kinds[keyOf(jq)] : undefined;
  if (kind === undefined) throw new Falls(constructOf(jq), jq);
  return [code`if (${kind(p.input)}) ${body(next(p.input))}`];
}

const zero: Jq = { kind: "literal", value: 0, written: "0", start: 0, end: 0 };

/** Prints the bounds of a range. When several of them may fail, jq decides which one fails first. */
function bounds(all: readonly Jq[], p: JqPlace): readonly Code[] {
  const printed = all.map((bound) => single(bound, p));
  const isOrdered = all.filter((bound) => !isSure(bound)).length <= 1;
  return isOrdered ? printed : printed.map((bound) => call(helper("inAnyOrder"), thunk(bound)));
}

/** One short statement needs no braces. */
function body(statements: readonly Code[]): Code {
  const [only] = statements;
  const isShort = only !== undefined && statements.length === 1 && !only.includes("\n") && !/^(?:const|if|for) /.test(only);
  return isShort ? only : braced(statements);
}

const kinds: Readonly<Record<string, (input: Code) => Code>> = {
  "values/0": (of) => code`${of} !== null`,
  "nulls/0": (of) => code`${of} === null`,
  "strings/0": (of) => code`typeof ${of} === "string"`,
  "numbers/0": (of) => code`typeof ${of} === "number"`,
  "booleans/0": (of) => code`typeof ${of} === "boolean"`,
  "arrays/0": (of) => code`Array.isArray(${of})`,
  "objects/0": (of) => code`pw.jq_type(${of}) === "object"`,
  "iterables/0": (of) => code`typeof ${of} === "object" && ${of} !== null`,
  "scalars/0": (of) => code`(typeof ${of} !== "object" || ${of} === null)`,
};

function loop(of: Code, hint: string, p: JqPlace, next: Next): readonly Code[] {
  const item = p.names.fresh(hint);
  const inner = body(next(item));
  return [code`for (const ${uses(inner, item) ? item : code`_${item}`} of ${of}) ${inner}`];
}

/** Prints an output that is missing if its evaluation fails. */
const maybe = (of: Code, p: JqPlace, next: Next): readonly Code[] => whenFound(call(helper("orNothing"), thunk(of)), p, next);

function whenFound(of: Code, p: JqPlace, next: Next): readonly Code[] {
  const variable = p.names.fresh("found");
  return [code`const ${variable} = ${of};`, code`if (${variable} !== undefined) ${body(next(variable))}`];
}

/** Prints an output as the input of the rest: as an expression if the rest reads it once, else as a constant. */
function named(output: Code, left: Jq, right: Jq, p: JqPlace, rest: (input: Code) => readonly Code[]): readonly Code[] {
  if (isName(output) || (isSingle(right) && isHeaded(right)) || (right.kind === "iterate" && isHeaded(right))) return rest(output);
  return held(output, hintOf(left), p, rest);
}

const isName = (of: Code): boolean => /^\w+$/.test(of);

function held(of: Code, hint: string, p: JqPlace, rest: (input: Code) => readonly Code[]): readonly Code[] {
  const input = p.names.fresh(hint);
  return constant(input, of, rest(input));
}

/** Prints a constant. An unused value is still evaluated, since the evaluation may fail. */
function constant(variable: Code, of: Code, rest: readonly Code[]): readonly Code[] {
  const isRead = rest.some((statement) => uses(statement, variable));
  if (!isRead && isName(of)) return rest;
  return [isRead ? code`const ${variable} = ${of};` : code`${parenthesised(of)};`, ...rest];
}

/** Prints code that follows two filters. Code of more than one line becomes a function, so that it is printed only once. */
function twice(next: Next, p: JqPlace, both: (emit: Next) => readonly Code[]): readonly Code[] {
  const trial = next(code`value`);
  if (trial.length <= 1 && !trial.some((line) => line.includes("\n"))) return both(next);
  const rest = p.names.fresh("next");
  const item = p.names.fresh("value");
  const statements = braced(next(item));
  const declared = code`const ${rest} = (${uses(statements, item) ? item : code`_${item}`}: pw.Json): void => ${statements};`;
  return [declared, ...both((output) => [code`${rest}(${output});`])];
}

function constructOf(jq: Jq): string {
  switch (jq.kind) {
    case "call":
      return keyOf(jq);
    case "recurse":
      return "..";
    case "define":
      return `def ${jq.name}`;
    case "index":
    case "slice":
    case "iterate":
    case "try":
      return "?";
    default:
      return jq.kind;
  }
}
