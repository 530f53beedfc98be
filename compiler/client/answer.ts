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

/** The type of an answer below 400, as it follows from the actions of an interface. */
export interface InferredAnswer {
  readonly name: Code;
  readonly text: Code;
}

/** A client imports nothing, so that its types are those of TypeScript. */
const words: TypeWords = { json: code`unknown`, object: code`Record<string, unknown>` };

/** Levels of an answer: the data of an action stand three of them below the envelope. */
const deepest = 8;

/** Undefined where the answer is open, or where its body is not what its type says: it is empty, or of a type that a header names. */
export function inferredAnswer(plan: AnalysedInterface, names: Names): InferredAnswer | undefined {
  const { shapes, response, silence, respond, contract, method } = plan;
  if (silence || respond === "early" || contract.produced || method === "HEAD") return undefined;
  if (namesContentType(response.headers) || statusesOf(plan).good.some((status) => empties.has(status))) return undefined;
  const shape = cut(shapes.reply, deepest);
  if (isOpen(shape)) return undefined;
  // The body of an empty text is no text.
  const orEmpty = alternatives(shape).some(({ type }) => type === "string") ? code` | undefined` : empty;
  const name = names.fresh(`${pascal(plan.name)}Answer`);
  const about = code`/** The answer of \`${comment(plan.name)}\`, as far as it follows from its actions. */`;
  return { name, text: code`${about}\nexport type ${name} = ${shapeType(shape, words)}${orEmpty};` };
}

/** True also where the names of headers are known only in a run. */
function namesContentType(headers: Expr | undefined): boolean {
  if (headers === undefined) return false;
  const isSuch = (name: string): boolean => name.toLowerCase() === "content-type";
  if (headers.op === "map") return headers.entries.some(([key]) => typeof key !== "string" || isSuch(key));
  return !(headers.op === "lit" && isObject(headers.value)) || Object.keys(headers.value).some(isSuch);
}
