// The mappings of a source map as text: lines end with `;`, segments with `,`, and a segment is one, four or five numbers, each of them the
// difference to the number before it. Only the first number, a column of the output, begins again with each line.

/** A place in a source, in the numbers of segments. */
interface Place {
  source: number;
  line: number;
  column: number;
}

/**
 * Keeps the lines whose source has a place in the new list, and marks the begin of each gap between them as unmapped. Names are left out.
 * No line has code of two modules, so the first segment gives the source of all segments. The other segments are copied as text, since a
 * large bundle has a million of them.
 */
export function keptMappings(mappings: string, placeOf: (source: number) => number | undefined): string {
  const here: Place = { source: 0, line: 0, column: 0 };
  let last: Place = { ...here };
  let isMapped = false;
  let out = "";
  for (let at = 0; at <= mappings.length; at++) {
    const line = readLine(mappings, at, here);
    const source = line.first === undefined ? undefined : placeOf(line.first.source);
    if (line.first !== undefined && source !== undefined) {
      const { first } = line;
      const place = numberText(source - last.source) + numberText(first.line - last.line) + numberText(first.column - last.column);
      out += mappings.slice(at, line.afterColumn) + place + line.rest;
      last = { ...here, source };
    } else if (isMapped) out += mappings.slice(at, line.afterColumn);
    if (line.end > at) isMapped = source !== undefined;
    at = line.end;
    if (at < mappings.length) out += ";";
  }
  return out;
}

interface Line {
  /** The place of the first segment; undefined if it has none. */
  readonly first: Place | undefined;
  /** The offset behind the first column. */
  readonly afterColumn: number;
  /** All segments behind the first one, with one source and without names. */
  readonly rest: string;
  readonly end: number;
}

/** Reads the line that begins at `start`, and moves `here` to its last place. */
function readLine(mappings: string, start: number, here: Place): Line {
  let first: Place | undefined;
  let [at, afterColumn, copied, rest] = [start, start, start, ""];
  while (at < mappings.length && mappings.charCodeAt(at) !== semicolon) {
    const begin = at;
    let field = 0;
    for (let code = mappings.charCodeAt(at); at < mappings.length && code !== comma && code !== semicolon; code = mappings.charCodeAt(at)) {
      const before = at;
      let bits = 0;
      let shift = 0;
      let digit: number;
      do {
        digit = digitOf[mappings.charCodeAt(at++)] ?? 0;
        bits |= (digit & 31) << shift;
        shift += 5;
      } while (digit >= 32);
      const value = (bits & 1) === 1 ? -(bits >>> 1) : bits >>> 1;
      if (field === 0) afterColumn = begin === start ? at : afterColumn;
      else if (field === 1) here.source += value;
      else if (field === 2) here.line += value;
      else if (field === 3) here.column += value;
      // The copied text has neither another source nor a name.
      if (begin !== start && ((field === 1 && value !== 0) || field === 4)) {
        rest += mappings.slice(copied, before) + (field === 1 ? sameSource : "");
        copied = at;
      }
      field++;
    }
    if (begin === start) {
      if (field > 1) first = { ...here };
      copied = at;
    }
    if (mappings.charCodeAt(at) === comma) at++;
  }
  return { first, afterColumn, rest: rest + mappings.slice(copied, at), end: at };
}

const comma = ",".charCodeAt(0);
const semicolon = ";".charCodeAt(0);

const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** The digit for 0, which means the same source as in the segment before. */
const sameSource = "A";

const digitOf = Uint8Array.from({ length: 128 }, (_, code) => Math.max(0, alphabet.indexOf(String.fromCharCode(code))));

/**
 * A number as base64 VLQ: five bits for each digit, the lowest bits first. The lowest bit of the number is the sign, and the sixth bit of a
 * digit tells that another digit follows.
 */
function numberText(value: number): string {
  let bits = value < 0 ? (-value << 1) | 1 : value << 1;
  let text = "";
  do {
    const digit = bits & 31;
    bits >>>= 5;
    text += alphabet[bits > 0 ? digit | 32 : digit];
  } while (bits > 0);
  return text;
}
