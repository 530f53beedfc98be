import type { Json } from "../../../value/json.ts";
import { decimal, float, instant, integer } from "./rows.ts";

/** Reads the text form of a value. */
export type Read = (text: string) => Json;

const asText: Read = (text) => text;
const asFloat: Read = (text) => float(Number(text));

/**
 * Types whose text is not their JSON, by the oid of pg_type.dat. All others (uuid, enum, interval, inet, ranges, date, time…) stay text.
 */
const scalars: Readonly<Record<number, Read>> = {
  16: (text) => text === "t", // bool
  17: bytes, // bytea
  20: integer, // int8
  21: Number, // int2
  23: Number, // int4
  26: Number, // oid
  28: Number, // xid
  114: json,
  700: asFloat, // float4
  701: asFloat, // float8
  1114: instant, // timestamp
  1184: instant, // timestamptz
  1700: decimal, // numeric
  3802: json, // jsonb
};

/** Arrays of built-in types: oid of the array, oid of its elements. Arrays of `box` separate by `;` and stay text. */
const arrays: Readonly<Record<number, number>> = {
  143: 142, // xml
  199: 114, // json
  271: 5069, // xid8
  651: 650, // cidr
  719: 718, // circle
  775: 774, // macaddr8
  791: 790, // money
  1000: 16, // bool
  1001: 17, // bytea
  1002: 18, // char
  1003: 19, // name
  1005: 21, // int2
  1007: 23, // int4
  1009: 25, // text
  1011: 28, // xid
  1014: 1042, // bpchar
  1015: 1043, // varchar
  1016: 20, // int8
  1017: 600, // point
  1021: 700, // float4
  1022: 701, // float8
  1028: 26, // oid
  1040: 829, // macaddr
  1041: 869, // inet
  1115: 1114, // timestamp
  1182: 1082, // date
  1183: 1083, // time
  1185: 1184, // timestamptz
  1187: 1186, // interval
  1231: 1700, // numeric
  1270: 1266, // timetz
  1561: 1560, // bit
  1563: 1562, // varbit
  2951: 2950, // uuid
  3643: 3614, // tsvector
  3807: 3802, // jsonb
  3905: 3904, // int4range
  3907: 3906, // numrange
  3909: 3908, // tsrange
  3911: 3910, // tstzrange
  3913: 3912, // daterange
  3927: 3926, // int8range
  4073: 4072, // jsonpath
};

/** Types with higher oids were made by users; whether they are arrays only the server knows. */
export const firstUserType = 16_384;

/** The oid of `text`. */
export const textType = 25;

/** The type of a value by its oid, as a constant in the query would have it; 0 for a text, whose type its place decides. */
export function typeOf(value: Json): number {
  if (typeof value === "boolean") return 16;
  if (typeof value !== "number") return 0;
  if (!Number.isSafeInteger(value)) return 1700;
  return value >= -(2 ** 31) && value < 2 ** 31 ? 23 : 20;
}

/** The type of the elements of a built-in array type. */
export const elementOf = (oid: number): number | undefined => arrays[oid];

/** The reader of a built-in type, or of an array whose elements have the type `element`. */
export function readerOf(oid: number, element: number | undefined = arrays[oid]): Read {
  if (element === undefined) return scalars[oid] ?? asText;
  const read = readerOf(element, undefined);
  return (text) => array(text, read);
}

function json(text: string): Json {
  // The server has checked the text; JSON.parse gives nothing but JSON.
  return JSON.parse(text) as Json;
}

/** `\x` and hexadecimal digits: the form that the connection asks for. */
function bytes(text: string): string {
  return Buffer.from(text.slice(2), "hex").toString("base64");
}

/** `{1,NULL,"a \"quoted\" one",{2}}`, perhaps after bounds such as `[0:2]=`. */
function array(text: string, read: Read): Json {
  const root: Json[] = [];
  const open: Json[][] = [root];
  const token = /[{},]|"([^"\\]*(?:\\.[^"\\]*)*)"|[^{},"]+/gs;
  token.lastIndex = text.indexOf("{");
  for (let match = token.exec(text); match !== null; match = token.exec(text)) {
    const [word, quoted] = match;
    const here = open.at(-1);
    if (word === "}") open.pop();
    else if (word === "{") {
      const inner: Json[] = [];
      here?.push(inner);
      open.push(inner);
    } else if (quoted !== undefined) here?.push(read(quoted.replace(/\\(.)/gs, "$1")));
    else if (word !== ",") here?.push(word.toUpperCase() === "NULL" ? null : read(word));
  }
  return root[0] ?? [];
}
