import type { BodyPlan, Expr } from "#runtime/plan/index.ts";
import { isObject, type JsonObject, put } from "#runtime/value/json.ts";
import type { AnalysedInterface } from "../5-analyse/analysed.ts";
import { isUnset } from "../5-analyse/capabilities/member.ts";

/** A body that an answer may have. */
export interface Content {
  /** The media type. */
  readonly type: string;
  readonly media: { readonly schema: JsonObject } & JsonObject;
}

/** The bodies of one status. A media type of several bodies gets a schema only if they are equal. */
export function contentOf(bodies: readonly Content[]): JsonObject {
  const content: JsonObject = {};
  for (const [type, group] of Map.groupBy(bodies, (body) => body.type)) {
    const [first, ...more] = group.map(({ media }) => media);
    const isOne = more.every((other) => JSON.stringify(other.schema) === JSON.stringify(first?.schema));
    put(content, type, isOne && first !== undefined ? first : { schema: {} });
  }
  return bodies.length === 0 ? {} : { content };
}

/** One component for each status, whose text names the status. */
export const refused = (code: number): JsonObject => ({ $ref: `#/components/responses/Error${code}` });

/** The media type of a body that is sent with the headers of the interface. */
export const typeOf = (body: BodyPlan | undefined, { response }: AnalysedInterface): string =>
  namedType(response.headers) ?? (body?.as === "text" ? "text/plain" : "application/json");

/** The media type of an answer whose type is known only at run time. */
const anyType = "*/*";

/** The media type in the author's own headers (spec/language 7.5). Undefined if they have none, or null. */
export function namedType(headers: Expr | undefined): string | undefined {
  const value = contentTypeOf(headers);
  if (value === undefined || isUnset(value)) return undefined;
  const type = writtenStart(value)?.trim().toLowerCase();
  return type === undefined || !/^[^\s/]+\/[^\s/]+$/.test(type) ? anyType : type;
}

function contentTypeOf(headers: Expr | undefined): Expr | undefined {
  const entries = headers?.op === "map" ? headers.entries : [];
  const literals = headers?.op === "lit" && isObject(headers.value) ? Object.entries(headers.value) : [];
  const all = [...entries, ...literals.map(([name, value]): readonly [string, Expr] => [name, { op: "lit", value }])];
  return all.find(([name]) => typeof name === "string" && name.toLowerCase() === "content-type")?.[1];
}

/** The media type without its parameters; undefined if it holds a marker. */
function writtenStart(value: Expr): string | undefined {
  if (value.op === "lit") return typeof value.value === "string" ? value.value.split(";")[0] : undefined;
  const first = value.op === "text" ? value.parts[0] : undefined;
  return typeof first === "string" && first.includes(";") ? first.split(";")[0] : undefined;
}
