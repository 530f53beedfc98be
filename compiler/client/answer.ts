import type { Expr } from "#runtime/plan/index.ts";
import { alternatives } from "#runtime/shapes/shape.ts";
import { isObject } from "#runtime/value/json.ts";
import type { AnalysedInterface } from "../5-analyse/analysed.ts";
import { type Code, code, comment, empty } from "../6-print/code.ts";
import { type Names, pascal } from "../6-print/names.ts";
import { cut, isOpen } from "../6-print/types/cut.ts";
import { shapeType, type TypeWords } from "../6-print/types/shape-type.ts";
import { empties } from "../openapi/answers.ts";
import { statusesOf } from "../openapi/statuses.ts";

/** The type of an answer below 400 that follows from the actions of an interface. */
export interface InferredAnswer {
  readonly name: Code;
  readonly text: Code;
}

/** A client imports nothing, so it uses only types of TypeScript. */
const words: TypeWords = { json: code`unknown`, object: code`Record<string, unknown>` };

/** The levels of an answer that are printed; the data of an action are three levels below the envelope. */
const deepest = 8;

/**
 * The type of an answer from its actions. Undefined when the answer may be anything, or when its body may differ: it is empty, or a header
 * sets its content type.
 */
export function inferredAnswer(plan: AnalysedInterface, names: Names): InferredAnswer | undefined {
  const { shapes, response, silence, respond, contract, method } = plan;
  if (silence || respond === "early" || contract.produced || method === "HEAD") return undefined;
  if (namesContentType(response.headers) || statusesOf(plan).good.some((status) => empties.has(status))) return undefined;
  const shape = cut(shapes.reply, deepest);
  if (isOpen(shape)) return undefined;
  // An empty text makes an empty body, which the client reads as undefined.
  const orEmpty = alternatives(shape).some(({ type }) => type === "string") ? code` | undefined` : empty;
  const name = names.fresh(`${pascal(plan.name)}Answer`);
  const about = code`/** The answer of \`${comment(plan.name)}\`, as far as it follows from its actions. */`;
  return { name, text: code`${about}\nexport type ${name} = ${shapeType(shape, words)}${orEmpty};` };
}

/** True when headers set the content type, or when their names are known only at run time. */
function namesContentType(headers: Expr | undefined): boolean {
  if (headers === undefined) return false;
  const isSuch = (name: string): boolean => name.toLowerCase() === "content-type";
  if (headers.op === "map") return headers.entries.some(([key]) => typeof key !== "string" || isSuch(key));
  return !(headers.op === "lit" && isObject(headers.value)) || Object.keys(headers.value).some(isSuch);
}
