import type { Json } from "../value/json.ts";
import { array, type Member, number, type ObjectShape, object, type Shape, string, union } from "./shape.ts";

/** The answer of a service, as the action `http` gives it (spec/language 5.1.3). */
export type HttpAnswer<Body extends Json = Json> = {
  status: number;
  headers: { [name: string]: string | string[] };
  body: Body;
};

/** The shape of such an answer. */
export const answerShape = (body: Shape): ObjectShape => object({ status: number, headers: headersShape(), body });

/** The headers of an answer: texts, but for the one that may come several times. */
export const headersShape = (): ObjectShape =>
  object(new Map<string, Member>([["set-cookie", { shape: union(string, array(string)), optional: true }]]), string);
