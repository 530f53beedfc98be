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
  1082: dated, // date
  1114: timestamp,
  1184: timestamp, // timestamptz
  1700: decimal, // numeric
  3802: json, // jsonb
  3908: dated, // tsrange
  3910: dated, // tstzrange
  3912: dated, // daterange
  4533: dated, // tsmultirange
  4534: dated, // tstzmultirange
  4535: dated, // datemultirange
};

/** Arrays of built-in types: oid of the array, oid of its elements. Arrays of `box` separate by `;` and stay text. */
const arrays: Readonly<Record<number, number>> = {
  143: 142, // xml
  199: 114, // json
  271: 5069, // xid8
  629: 628, // line
  651: 650, // cidr
  719: 718, // circle
  775: 774, // macaddr8
  791: 790, // money
  1000: 16, // bool
  1001: 17, // bytea
  1002: 18, // char
  1003: 19, // name
  1005: 21, // int2
  1006: 22, // int2vector
  1007: 23, // int4
  1008: 24, // regproc
  1009: 25, // text
  1010: 27, // tid
  1011: 28, // xid
  1012: 29, // cid
  1013: 30, // oidvector
  1014: 1042, // bpchar
  1015: 1043, // varchar
  1016: 20, // int8
  1017: 600, // point
  1018: 601, // lseg
  1019: 602, // path
  1021: 700, // float4
  1022: 701, // float8
  1027: 604, // polygon
  1028: 26, // oid
  1034: 1033, // aclitem
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
  2201: 1790, // refcursor
  2207: 2202, // regprocedure
  2208: 2203, // regoper
  2209: 2204, // regoperator
  2210: 2205, // regclass
  2211: 2206, // regtype
  2287: 2249, // record
  2949: 2970, // txid_snapshot
  2951: 2950, // uuid
  3221: 3220, // pg_lsn
  3643: 3614, // tsvector
  3644: 3642, // gtsvector
  3645: 3615, // tsquery
  3735: 3734, // regconfig
  3770: 3769, // regdictionary
  3807: 3802, // jsonb
  3905: 3904, // int4range
  3907: 3906, // numrange
  3909: 3908, // tsrange
  3911: 3910, // tstzrange
  3913: 3912, // daterange
  3927: 3926, // int8range
  4073: 4072, // jsonpath
  4090: 4089, // regnamespace
  4097: 4096, // regrole
  4192: 4191, // regcollation
  5039: 5038, // pg_snapshot
  6150: 4451, // int4multirange
  6151: 4532, // nummultirange
  6152: 4533, // tsmultirange
  6153: 4534, // tstzmultirange
  6155: 4535, // datemultirange
  6157: 4536, // int8multirange
};

/** Types from this oid on were made by users, or have another oid in each server; whether they are arrays only the server knows. */
export const firstUserType = 10_000;

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

/** The reader of a built-in type. */
export function readerOf(oid: number): Read {
  const element = arrays[oid];
  if (element === undefined) return scalars[oid] ?? asText;
  const read = readerOf(element);
  return (text) => array(text, read);
}

function json(text: string): Json {
  // The server has checked the text; JSON.parse gives nothing but JSON.
  return JSON.parse(text) as Json;
}

/**
 * `\x` and hexadecimal digits: the form that the connection asks for. A query may ask for the older one, in which a byte is a character or
 * three octal digits, and a backslash is two.
 */
function bytes(text: string): string {
  if (text.startsWith("\\x")) return Buffer.from(text.slice(2), "hex").toString("base64");
  const octal = text.replace(/\\(\d{3}|\\)/g, (_, code: string) => (code === "\\" ? code : String.fromCharCode(Number.parseInt(code, 8))));
  return Buffer.from(octal, "latin1").toString("base64");
}

/** A timestamp, or a text such as `infinity`, which stays as it is. A timestamp in another form than ISO fails. */
function timestamp(text: string): string {
  const read = instant(text);
  return read === text ? dated(text) : read;
}

/**
 * A date, or a range of dates. The form of ISO begins with four digits or more; all others begin with one or two, or with a day of the
 * week. A text in another form does not tell which of its first two numbers is the month.
 */
function dated(text: string): string {
  if (!/^\d{4}-/.test(text) && /(?:^|[[(,])"?(?:\d{1,2}[./-]|[A-Z][a-z]{2} )/.test(text))
    throw new Error("a date is not in the form of ISO: the query has changed datestyle, which has to be ISO where dates are read");
  return text;
}

/**
 * Reads `{1,NULL,"a \"quoted\" one",{2}}`, perhaps after bounds such as `[0:2]=`. It uses loops, because a pattern runs out of stack in a
 * long element.
 */
function array(text: string, read: Read): Json {
  const root: Json[] = [];
  const open: Json[][] = [root];
  for (let at = text.indexOf("{"); at >= 0 && at < text.length; ) {
    const here = open.at(-1);
    const first = text[at];
    let next = at + 1;
    if (first === "}") open.pop();
    else if (first === "{") {
      const inner: Json[] = [];
      here?.push(inner);
      open.push(inner);
    } else if (first === '"') {
      const quoted = text.slice(next, quoteIn(text, next));
      next += quoted.length + 1;
      here?.push(read(quoted.includes("\\") ? quoted.replace(/\\(.)/gs, "$1") : quoted));
    } else if (first !== ",") {
      next = endOfWord(text, next);
      const word = text.slice(at, next);
      here?.push(word.toUpperCase() === "NULL" ? null : read(word));
    }
    at = next;
  }
  return root[0] ?? [];
}

/** The place of the next quote without a backslash before it. */
function quoteIn(text: string, from: number): number {
  let at = from;
  while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
  return at;
}

function endOfWord(text: string, from: number): number {
  let at = from;
  while (at < text.length && !isDelimiter(text.charCodeAt(at))) at++;
  return at;
}

/** True of the codes of `{`, `}`, `,` and `"`. */
const isDelimiter = (code: number): boolean => code === 44 || code === 34 || code === 123 || code === 125;

/** A type as the server describes it: of a domain the type that it is made of, of an array that of its elements, else 0. */
export type TypeRow = readonly [oid: number, base: number, element: number];

/** The text of the query for a list of types with all that they are made of, as rows of `TypeRow`. */
export const typesQuery = `WITH RECURSIVE part AS (
    SELECT t.oid FROM pg_catalog.pg_type t WHERE t.oid = ANY ($1::oid[])
    UNION SELECT CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE t.typelem END
    FROM part p JOIN pg_catalog.pg_type t ON t.oid = p.oid WHERE t.typtype = 'd' OR t.typcategory = 'A'
  )
  SELECT t.oid, CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE 0 END, coalesce(e.oid, 0)
  FROM part p JOIN pg_catalog.pg_type t ON t.oid = p.oid
  LEFT JOIN pg_catalog.pg_type e ON e.typarray = t.oid AND e.typdelim = ','`;

/** The reader of a type that is made of others. */
export function readerOfRows(oid: number, rows: readonly TypeRow[]): Read {
  const [, base = 0, element = 0] = rows.find(([one]) => one === oid) ?? [];
  if (base !== 0) return readerOfRows(base, rows);
  if (element === 0) return readerOf(oid);
  const read = readerOfRows(element, rows);
  return (text) => array(text, read);
}
