import type { BodyPlan, Expr } from "#runtime/plan/index.ts";
import { isObject, type JsonObject, put } from "#runtime/value/json.ts";
import type { AnalysedInterface } from "../5-analyse/analysed.ts";

/** A body that an answer may have. */
export interface Content {
  /** The media type. */
  readonly type: string;
  readonly media: { readonly schema: JsonObject } & JsonObject;
}

/** The bodies of one status. Nothing is said of a type that several bodies have, unless they are alike. */
export function contentOf(bodies: readonly Content[]): JsonObject {
  const content: JsonObject = {};
  for (const [type, group] of Map.groupBy(bodies, (body) => body.type)) {
    const [first, ...more] = group.map(({ media }) => media);
    const isOne = more.every((other) => JSON.stringify(other.schema) === JSON.stringify(first?.schema));
    put(content, type, isOne && first !== undefined ? first : { schema: {} });
  }
  return bodies.length === 0 ? {} : { content };
}

/** One component for each status: its text says which of them it is. */
export const refused = (code: number): JsonObject => ({ $ref: `#/components/responses/Error${code}` });

/** The media type of a body that the headers of the interface accompany. */
export const typeOf = (body: BodyPlan | undefined, { response }: AnalysedInterface): string =>
  namedType(response.headers) ?? (body?.as === "text" ? "text/plain" : "application/json");

/** The media type that the author's own headers name, where it is fixed (spec/language 7.5). */
export function namedType(headers: Expr | undefined): string | undefined {
  const entries = headers?.op === "map" ? headers.entries.map(([name, value]) => [name, value.op === "lit" ? value.value : null]) : [];
  const all = headers?.op === "lit" && isObject(headers.value) ? Object.entries(headers.value) : entries;
  const contentType = all.find(([name]) => typeof name === "string" && name.toLowerCase() === "content-type")?.[1];
  const type = typeof contentType === "string" ? contentType.split(";")[0]?.trim().toLowerCase() : undefined;
  return type === undefined || !/^[^\s/]+\/[^\s/]+$/.test(type) ? undefined : type;
}
