import { Failure, Reject } from "../failure.ts";
import type { Transform } from "../feature.ts";
import { isObject, type Json, type JsonObject, put, typeOf } from "../json.ts";
import { fixed, round } from "../lib/decimal.ts";
import { eachNode, placeOf, presentNodes } from "../lib/each-node.ts";
import { type Calculation, calculation, number, type Scalar } from "../lib/expression.ts";
import { refused } from "../lib/expression-syntax.ts";
import { oneOf } from "../lib/one-of.ts";
import { type NodePath, nodePath } from "../lib/path.ts";
import { isNumberText } from "../values.ts";

/** Null is what an unset marker leaves: the field is absent. */
interface Args {
  readonly target?: string | null;
  readonly expressions: Readonly<Record<string, string | null>>;
  readonly to_string?: boolean | null;
  readonly decimal_places?: number | null;
  readonly eval_type?: string | null;
}

const types = ["any", "bool", "int", "float", "string"] as const;
const evalTypes = types.slice(1);

/** What becomes of each result. */
interface Form {
  /** `any`: as it comes. */
  readonly type: (typeof types)[number];
  readonly places: number | undefined;
  readonly asText: boolean;
}

interface Ready {
  readonly target: NodePath;
  readonly expressions: readonly { readonly name: string; readonly calculate: Calculation }[];
  readonly form: Form;
}

const mostPlaces = 15;

/** Stage 1: decimal places outside 0..15 are PW512, a bad expression is PW513. */
export function prepare({ target, expressions, to_string, decimal_places, eval_type }: Args): Ready {
  const places = decimal_places ?? undefined;
  if (places !== undefined && (places < 0 || places > mostPlaces)) throw new Reject("PW512", `decimal_places ${places} is outside 0..${mostPlaces}`);
  const type = oneOf("eval_type", eval_type, types, "any");
  return {
    target: nodePath(target ?? ""),
    expressions: Object.entries(expressions).map(([name, text]) => ({ name, calculate: calculation(text ?? "") })),
    form: { type, places, asText: type === "string" || to_string === true },
  };
}
