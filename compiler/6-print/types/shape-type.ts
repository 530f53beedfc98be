import { answerShape, headersShape } from "#runtime/shapes/answer.ts";
import { any, isNever, nothing, type ObjectShape, type Shape, type UnionShape, union } from "#runtime/shapes/shape.ts";
import { type Code, code, list, lit, property, spaces } from "../code.ts";

/**
 * Names of types in the printed text: any JSON value, and any object. If the text has names for them, also the answer of a service, and the
 * entry of an action in the results of a loop.
 */
export interface TypeWords {
  readonly json: Code;
  readonly object: Code;
  readonly answer?: Code;
  readonly entry?: Code;
}

/** The words of printed modules. */
export const moduleTypes: TypeWords = {
  json: code`pw.Json`,
  object: code`pw.JsonObject`,
  answer: code`pw.HttpAnswer`,
  entry: code`pw.ActionEntry`,
};

/** The most columns of a type on one line. */
const widest = 100;

/** The TypeScript type of all values of a shape that was cut; members stand below each other where one line is too long. */
export function shapeType(shape: Shape, words: TypeWords, indent = ""): Code {
  const line = flat(shape, words);
  if (indent.length + line.length <= widest) return line;
  switch (shape.type) {
    case "array":
      return listOf(shape.items, shapeType(shape.items, words, indent));
    case "union":
      return list(
        nullLast(shape).map((one) => shapeType(one, words, indent)),
        " | ",
      );
    case "object":
      return namedType(shape, words, (inner) => shapeType(inner, words, indent)) ?? broken(shape, words, indent);
    case "any":
    case "null":
    case "boolean":
    case "number":
    case "string":
      return line;
  }
}

/** A type on one line. */
function flat(shape: Shape, words: TypeWords): Code {
  switch (shape.type) {
    case "any":
      return words.json;
    case "null":
      return code`null`;
    case "boolean":
    case "number":
    case "string":
      return shape.values === undefined ? scalars[shape.type] : literals(shape.values, scalars[shape.type]);
    case "array":
      return isNever(shape.items) ? code`[]` : listOf(shape.items, flat(shape.items, words));
    case "union":
      return unionType(shape, words);
    case "object": {
      const type = namedType(shape, words, (inner) => flat(inner, words));
      if (type !== undefined) return type;
      if (shape.members.size === 0) return shape.rest === undefined ? code`Record<string, never>` : record(code`string`, shape.rest, words);
      if (shape.members.size > 1 && shape.rest === undefined && isTable(shape))
        return record(literals([...shape.members.keys()], code`string`), any, words);
      return code`{ ${list(
        members(shape, words, (one) => flat(one, words)),
        "; ",
      )} }`;
    }
  }
}

const nullLast = ({ of }: UnionShape): UnionShape["of"] => of.toSorted((a, b) => Number(a.type === "null") - Number(b.type === "null"));

function unionType(shape: UnionShape, words: TypeWords): Code {
  if (isNever(shape)) return code`never`;
  const types = nullLast(shape).map((one) => flat(one, words));
  return union(shape, nothing).type === "any" ? code`NonNullable<${words.json}>` : list(types, " | ");
}

const scalars = { boolean: code`boolean`, number: code`number`, string: code`string` };

/** The values as a union of literals. */
function literals(values: readonly (boolean | number | string)[], whole: Code): Code {
  if (values.length === 0) return code`never`;
  const isBoth = values.includes(true) && values.includes(false);
  return isBoth
    ? whole
    : list(
        values.map((value) => lit(value)),
        " | ",
      );
}

const listOf = (items: Shape, type: Code): Code => (items.type === "union" || hasLiterals(items) ? code`(${type})[]` : code`${type}[]`);

const hasLiterals = (shape: Shape): boolean => "values" in shape && shape.values !== undefined && shape.values.length > 1;

const record = (names: Code, value: Shape, words: TypeWords): Code =>
  value.type === "any" && names === "string" ? words.object : code`Record<${names}, ${flat(value, words)}>`;

/** True for a row with known columns and unknown values. */
const isTable = ({ members }: ObjectShape): boolean =>
  [...members.values()].every(({ shape, optional }) => shape.type === "any" && !optional);

function members({ members, rest }: ObjectShape, words: TypeWords, print: (shape: Shape) => Code): Code[] {
  const declared = [...members].map(
    ([name, { shape, optional }]) => code`${property(name)}${optional ? code`?` : code``}: ${print(shape)}`,
  );
  if (rest === undefined) return declared;
  // In TypeScript the type of an index signature must include the types of all named members.
  const all = union(rest, ...[...members.values()].map(({ shape }) => shape));
  const others = flat(rest, words);
  return [...declared, code`[name: string]: ${flat(all, words) === others ? others : words.json}`];
}

function broken(shape: ObjectShape, words: TypeWords, indent: string): Code {
  const inner = `${indent}  `;
  const lines = members(shape, words, (one) => shapeType(one, words, inner)).map((member) => code`${spaces(inner)}${member};\n`);
  return code`{\n${list(lines, "")}${spaces(indent)}}`;
}

/** The named type of a record, with the type of its one variable member as parameter; undefined if it has no name. */
function namedType(shape: ObjectShape, words: TypeWords, print: (shape: Shape) => Code): Code | undefined {
  if (words.answer !== undefined && isAnswer(shape))
    return withParameter(words.answer, print(shape.members.get("body")?.shape ?? any), words);
  if (words.entry !== undefined && isEntry(shape)) return withParameter(words.entry, print(shape.members.get("data")?.shape ?? any), words);
  return undefined;
}

const withParameter = (type: Code, parameter: Code, { json }: TypeWords): Code => (parameter === json ? type : code`${type}<${parameter}>`);

const hasMembers = ({ members, rest }: ObjectShape, names: string): boolean => rest === undefined && [...members.keys()].join() === names;

/** True for the answer of a service, with any known values of its status. */
function isAnswer(shape: ObjectShape): boolean {
  if (!hasMembers(shape, [...answerShape(any).members.keys()].join())) return false;
  const [status, headers] = [shape.members.get("status"), shape.members.get("headers")];
  return (
    [...shape.members.values()].every(({ optional }) => !optional) &&
    status?.shape.type === "number" &&
    headers !== undefined &&
    flat(headers.shape, moduleTypes) === flat(headersShape(), moduleTypes)
  );
}

/** True for the entry of an action whose data are not hidden. Deep inside results its `errors` may have been cut to any value. */
function isEntry(shape: ObjectShape): boolean {
  if (!hasMembers(shape, "data,message,error,errors,time.ms")) return false;
  const [data, message, error, errors, time] = [...shape.members.values()];
  return (
    data?.optional !== true &&
    [message, error].every((text) => text?.optional === true && text.shape.type === "string" && text.shape.values === undefined) &&
    errors?.optional === true &&
    errors.shape.type === "array" &&
    ["string", "any"].includes(errors.shape.items.type) &&
    time?.optional !== true &&
    time?.shape.type === "number"
  );
}
