import { atOnce, inSlices, type Work, type WorkOwner } from "../threads/slices.ts";
import type { Json, JsonObject } from "../value/json.ts";
import { excess, looked, maxDepth, tooDeep } from "./json-bounds.ts";
import { parseInSlices } from "./json-slices.ts";

/** The reason why a text gives no value, in words for its sender. Undefined when the text is simply not JSON. */
export interface JsonFault {
  readonly reason: string | undefined;
}

/**
 * The value of a JSON text from outside; undefined when the text is not JSON, is nested too deep, has too many parts, or holds a number
 * that is too large for a double (spec/transforms 1). A byte order mark is ignored.
 */
export function parseJson(text: string): Json | undefined {
  const read = readJson(text);
  return "value" in read ? read.value : undefined;
}

/**
 * Characters that are parsed in a few milliseconds, or in 75 when they are nothing but brackets. A text of this length cannot hold more
 * names, objects and lists than are allowed. It is parsed first and the levels of its value are counted then: that costs a tenth of a look
 * at each character.
 */
export const longText = 1_048_576;

/** As `parseJson`; a long text gives others their turns. */
export const parseJsonFor = (text: string, act: WorkOwner): Json | undefined | Promise<Json | undefined> =>
  text.length > longText ? inSlices(parseJsonWork(text), act) : parseJson(text);

/** As `parseJson`, in parts, between which others may have a turn. */
export const parseJsonWork = (text: string): Work<Json | undefined> => valueIn(readJsonWork(text));

/** As `parseJsonLines`; a long text gives others their turns. */
export const parseJsonLinesFor = (text: string, act: WorkOwner): Json | undefined | Promise<Json | undefined> =>
  text.length > longText ? inSlices(valueIn(readJsonLinesWork(text)), act) : parseJsonLines(text);

function* valueIn(work: Work<ReadJson>): Work<Json | undefined> {
  const read = yield* work;
  return "value" in read ? read.value : undefined;
}

/** Parses a JSON text, or says why it is not JSON. */
export function readJson(text: string): ReadJson {
  const reason = text.length > longText ? excess(text) : undefined;
  return reason === undefined ? readBounded(text) : { reason };
}

type ReadJson = { readonly value: Json } | JsonFault;

/** Texts in a document from which on it is parsed in slices, which would be slower for all other documents. */
const manyTexts = 200_000;

/** Parses a long JSON text in parts, between which others may have a turn. */
export function* readJsonWork(text: string): Work<ReadJson> {
  const { reason, texts } = looked(text);
  if (reason !== undefined) return { reason };
  yield;
  const read = texts < manyTexts ? parsed(text) : yield* parsedInSlices(text);
  if (!("value" in read)) return read;
  yield;
  return bounded(text, read.value);
}

function* parsedInSlices(text: string): Work<ReadJson> {
  const value = yield* parseInSlices(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  return value === undefined ? { reason: undefined } : { value };
}

function readBounded(text: string): ReadJson {
  const read = parsed(text);
  return "value" in read ? bounded(text, read.value) : read;
}

function parsed(text: string): ReadJson {
  try {
    return { value: JSON.parse(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text) };
  } catch {
    return { reason: excess(text) };
  }
}

/** Digits with which a number may be too large: two of an exponent, or so many that an exponent of one digit is enough. */
const manyDigits = /[eE]\+?\d{2}|\d{299}/;

function bounded(text: string, value: Json): ReadJson {
  // The levels of a longer text were counted before it was parsed, and few texts have so many digits: most need no walk.
  const reason = text.length <= longText || manyDigits.test(text) ? faultOf(value, maxDepth) : undefined;
  return reason === undefined ? { value } : { reason };
}

/** Parses one JSON document per line and ignores blank lines; undefined when a line is not JSON. */
export function parseJsonLines(text: string): Json[] | undefined {
  const read = readJsonLines(text);
  return "value" in read ? read.value : undefined;
}

/** Parses lines of JSON, or says why one of them is not JSON. */
export const readJsonLines = (text: string): ReadJsonLines => atOnce(readJsonLinesWork(text));

type ReadJsonLines = { readonly value: Json[] } | JsonFault;

/** Lines between two looks at the clock. */
const linesOfStep = 256;

/** Parses lines of JSON in parts, between which others may have a turn, or says why they are none. */
export function* readJsonLinesWork(text: string): Work<ReadJsonLines> {
  const reason = text.length > longText ? excess(text) : undefined;
  if (reason !== undefined) return { reason };
  if (text.length > longText) yield;
  const value: Json[] = [];
  let lines = 0;
  for (const line of linesIn(text)) {
    if (++lines % linesOfStep === 0) yield;
    if (line.trim() === "") continue;
    const read = line.length > longText ? yield* readJsonWork(line) : readBounded(line);
    if (!("value" in read)) return read;
    value.push(read.value);
  }
  return { value };
}

function* linesIn(text: string): Generator<string, void> {
  for (let from = 0; from <= text.length; ) {
    const lineFeed = text.indexOf("\n", from);
    const end = lineFeed < 0 ? text.length : lineFeed;
    yield text.slice(from, end);
    from = end + 1;
  }
}

/** The mistake in a value: too many levels, or an infinity. The parser reads `1e999` as infinity, which JSON does not have. */
function faultOf(value: Json | undefined, levels: number): string | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : tooLarge;
  return typeof value === "object" && value !== null ? faultInside(value, levels) : undefined;
}

/** The mistake in a list or an object. This is a function of its own, so that V8 inlines `faultOf` in its loops. */
function faultInside(value: Json[] | JsonObject, levels: number): string | undefined {
  if (levels === 0) return tooDeep;
  if (Array.isArray(value)) {
    for (const item of value) {
      const fault = faultOf(item, levels - 1);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }
  for (const key in value) {
    const fault = faultOf(value[key], levels - 1);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

const tooLarge = "holds a number that is too large";
