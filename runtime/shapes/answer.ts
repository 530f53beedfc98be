import type { Json } from "../value/json.ts";
import { array, type Member, number, type ObjectShape, object, type Shape, string, union } from "./shape.ts";

/** The answer of a service, as the action `http` gives it (spec/language 5.1.3). */
export type HttpAnswer<Body extends Json = Json> = {
  status: number;
  headers: { [name: string]: string | string[] };
  body: Body;
};

/** The entry of an action in the results of a loop (spec/language 7.2). */
export type ActionEntry<Data extends Json = Json> = {
  data: Data;
  message?: string;
  error?: string;
  errors?: string[];
  "time.ms": number;
};

/** The shape of the answer of a service. */
export const answerShape = (body: Shape): ObjectShape => object({ status: number, headers: headersShape(), body });

/** The headers of an answer: texts, but for the one that may come several times. */
export const headersShape = (): ObjectShape =>
  object(new Map<string, Member>([["set-cookie", { shape: union(string, array(string)), optional: true }]]), string);
