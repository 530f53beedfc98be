import { arithmetic, number, type Scalar } from "../../languages/arithmetic.ts";
import { eachNodeWork, Long, placeOf, presentWork } from "../../paths/each-node.ts";
import { type NodePath, nodePath } from "../../paths/path.ts";
import { argument, onlyValue, pathIn, placesOf } from "../../shapes/arguments.ts";
import { calculatedShape, type Formed } from "../../shapes/calculated.ts";
import { changedAt } from "../../shapes/place.ts";
import { any, array, byType, never, type Shape } from "../../shapes/shape.ts";
import { inSlices, type Work, type WorkOwner } from "../../threads/slices.ts";
import { fixed, round } from "../../value/decimal.ts";
import { Failure, Reject } from "../../value/failure.ts";
import { isObject, type Json, type JsonObject, put, typeOf } from "../../value/json.ts";
import { oneOf } from "../../value/one-of.ts";
import { membersOf, type Ordered } from "../../value/ordered.ts";
import { isNumberText } from "../../value/values.ts";
import type { ShapedArguments, Transform } from "../feature.ts";

/** As written when it has no markers, else with their values, which its text names `$0`, `$1`, … */
type Expression = string | { readonly text: string; readonly values: readonly Json[] };

/** Null is what an unset marker leaves: the field is absent. */
interface Args {
  readonly target?: string | null;
  readonly expressions: Ordered<Expression | null>;
  readonly to_string?: boolean | null;
  readonly decimal_places?: number | null;
  readonly eval_type?: string | null;
}

const evalTypes = ["bool", "int", "float", "string"] as const;

/** The form that each result takes. */
interface Form {
  readonly type: (typeof evalTypes)[number] | undefined;
  readonly places: number | undefined;
  readonly asText: boolean;
}

interface Member {
  readonly name: string;
  readonly calculate: ReturnType<typeof arithmetic>;
  readonly values: readonly Json[];
}

interface Ready {
  readonly target: NodePath;
  readonly expressions: readonly Member[];
  readonly form: Form;
}

const mostPlaces = 15;

/** Stage 1: decimal places outside 0..15 are PW512, a bad expression is PW513. */
export function prepare({ target, expressions, to_string, decimal_places, eval_type }: Args): Ready {
  const places = decimal_places ?? undefined;
  if (places !== undefined && (places < 0 || places > mostPlaces))
    throw new Reject("PW512", `decimal_places ${places} is outside 0..${mostPlaces}`);
  const type = eval_type === null || eval_type === undefined ? undefined : oneOf("eval_type", eval_type, evalTypes, "float");
  return {
    target: nodePath(target ?? ""),
    expressions: membersOf(expressions).map(([name, source]) => {
      const { text, values } = typeof source === "string" ? { text: source, values: [] } : (source ?? { text: "", values: [] });
      return { name, calculate: arithmetic(text), values };
    }),
    form: { type, places, asText: type === "string" || to_string === true },
  };
}

/**
 * Calculates members of an object, or of each object of an array, in the order in which they are written: a later expression sees what the
 * earlier ones made. Fails on a field that is missing or null, an operand of another type and a result that is no finite number.
 */
export function math(data: Json, ready: Ready, act: WorkOwner): Json | Promise<Json> {
  // One object, the usual case, needs no slices.
  const isOne = ready.target.steps.length === 0 && !Array.isArray(data);
  return isOne ? calculated(data, ready) : inSlices(calculatedIn(data, ready), act);
}

function calculated(object: Json, { target, expressions, form }: Ready): JsonObject {
  if (!isObject(object)) throw new Failure("transform", `expected an object${placeOf(target)}, found ${typeOf(object)}`);
  const out = { ...object };
  for (const { name, calculate, values } of expressions) put(out, name, formed(calculate(out, values), form));
  return out;
}

/** Objects that take about a millisecond. */
const objectsOfSlice = 200;

function* calculatedIn(data: Json, ready: Ready): Work<Json> {
  function* each(list: readonly Json[]): Work<Json> {
    const out: Json[] = [];
    for (const object of list) if (out.push(calculated(object, ready)) % objectsOfSlice === 0) yield;
    return out;
  }
  yield* presentWork(data, ready.target);
  return yield* eachNodeWork(data, ready.target, (node) => (Array.isArray(node) ? new Long(each(node)) : calculated(node, ready)));
}

/** A result in the type and with the digits that were asked for; numbers are rounded half away from zero. */
function formed(result: Scalar, { type, places, asText }: Form): Scalar {
  const value = typed(result, type, places !== undefined);
  if (typeof value !== "number" || places === undefined) return asText ? String(value) : value;
  return asText ? fixed(value, places) : round(value, places);
}

/** `rounded`: numeric text is needed as a number. */
function typed(value: Scalar, type: Form["type"], rounded: boolean): Scalar {
  switch (type) {
    case "bool":
      return typeof value === "boolean" ? value : number(value) !== 0;
    case "int":
      return Math.trunc(number(value));
    case "float":
      return number(value);
    case "string":
    case undefined:
      return rounded && typeof value === "string" && isNumberText(value) ? number(value) : value;
  }
}

function shape(data: Shape, { shape: args }: ShapedArguments<Args>): Shape {
  const target = argument(args, "target");
  const path = onlyValue(target) === null ? nodePath("") : pathIn(target);
  if (path === undefined) return any;
  const [type, places, asText] = ["eval_type", "decimal_places", "to_string"].map((name) => onlyValue(argument(args, name)));
  const isKnown = type !== undefined && places !== undefined && asText !== undefined;
  const form: Formed | undefined = isKnown ? { type, isRounded: places !== null, isText: asText === true || type === "string" } : undefined;
  const one = (node: Shape): Shape =>
    byType(node, (row) => (row.type === "object" ? calculatedShape(row, argument(args, "expressions"), form) : never));
  const give = (node: Shape): Shape => byType(node, (found) => (found.type === "array" ? array(one(found.items)) : one(found)));
  return changedAt(data, { path, must: true, give });
}

export const spec: Transform<Args, Ready> = {
  summary: "Calculate members from other members.",
  schema: {
    type: "object",
    required: ["expressions"],
    additionalProperties: false,
    properties: {
      target: { type: "string", context: "path", description: "Path of the object, or of an array of objects; all data by default." },
      expressions: {
        type: "object",
        ordered: true,
        additionalProperties: {
          type: "string",
          context: "expression",
          description:
            "An expression, such as `target.price * target.quantity`: numbers, text in quotes, fields, markers, operators and functions.",
        },
        description: "Names of the members and how they are calculated.",
      },
      to_string: { type: "boolean", default: false, description: "Write results as text, which keeps trailing zeros." },
      decimal_places: { type: "integer", description: "Digits behind the point, 0 to 15; halves are rounded away from zero." },
      eval_type: {
        type: "string",
        enum: evalTypes,
        description: "Type of the results: a number is true unless it is 0, `int` cuts off digits.",
      },
    },
  },
  bounds: "expressions of 4,096 characters",
  effect: "pure",
  async: true,
  prepare,
  run: math,
  shape,
  expects: ({ target }) => placesOf([target]),
};
