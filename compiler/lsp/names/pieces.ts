import { roots } from "#runtime/run/marker-roots.ts";
import { filterArity } from "../../1-read/markers/filter-words.ts";

/** A part of a marker as it is written, with its place in the file. */
export interface Piece {
  readonly kind: "edge" | "root" | "action" | "name" | "path" | "filter" | "argument";
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** The root of the marker. */
  readonly root: string;
}

const begin = /(?<![A-Za-z0-9_\\])a\|(?=\s*[A-Za-z_])/g;

/**
 * The parts of the markers in a range of a text, in order: for colours and for the part under the pointer. They are found in the written
 * text of the scalar, where quotes and escapes shift places, and not in its value.
 */
export function piecesIn(text: string, from: number, to: number): readonly Piece[] {
  const pieces: Piece[] = [];
  const starts = new RegExp(begin);
  starts.lastIndex = from;
  for (let match = starts.exec(text); match !== null && match.index < to; match = starts.exec(text)) {
    const end = endOf(text, match.index + 2, to);
    if (end === undefined) continue;
    addMarker(pieces, text, match.index, end);
    starts.lastIndex = end;
  }
  return pieces;
}

/** The pipe that ends a marker, by the rules of the parser: outside brackets, on the same line. */
function endOf(text: string, from: number, to: number): number | undefined {
  let depth = 0;
  for (let i = from; i < to; i++) {
    const c = text[i];
    if (c === "\n" || c === "\r") return undefined;
    if (c === "\\" && text[i + 1] === "|") i += 1;
    else if (c === "|" && depth === 0) return i + 1;
    else if (c === "(" || c === "[" || c === "{") depth += 1;
    else if ((c === ")" || c === "]" || c === "}") && depth > 0) depth -= 1;
  }
  return undefined;
}

function addMarker(pieces: Piece[], text: string, start: number, end: number): void {
  const inner = text.slice(start + 2, end - 1);
  const head = /^(\s*)((?:single_quote|double_quote|json_esc|json_escape|json_stringify)\(\s*)?([A-Za-z_](?:[\w]|-(?!>))*)(\s*::\s*)?/.exec(
    inner,
  );
  if (head === null) return;
  const [whole, blank = "", wrapper = "", root = "", colons] = head;
  const at = (offset: number): number => start + 2 + offset;
  const add = (kind: Piece["kind"], from: number, to: number): void => {
    if (to > from) pieces.push({ kind, start: from, end: to, text: text.slice(from, to), root });
  };
  add("edge", start, start + 2);
  if (wrapper !== "") add("filter", at(blank.length), at(blank.length + wrapper.search(/\(/)));
  const rootStart = at(blank.length + wrapper.length);
  const builtIn = Object.hasOwn(roots, root) ? roots[root] : undefined;
  add(builtIn === undefined ? "action" : "root", rootStart, rootStart + root.length);
  const isNamed = builtIn?.named === true && colons !== undefined;
  addSteps(pieces, { text, root, from: at(whole.length), to: end - 1, isNamed, hasPath: colons !== undefined });
  add("edge", end - 1, end);
}

interface Rest {
  readonly text: string;
  readonly root: string;
  readonly from: number;
  readonly to: number;
  readonly isNamed: boolean;
  readonly hasPath: boolean;
}

/** Adds the path behind the root, and the parts behind each arrow. */
function addSteps(pieces: Piece[], { text, root, from, to, isNamed, hasPath }: Rest): void {
  const add = (kind: Piece["kind"], start: number, end: number): void => {
    if (end > start) pieces.push({ kind, start, end, text: text.slice(start, end), root });
  };
  let place = from;
  for (const [i, step] of stepsOf(text.slice(from, to)).entries()) {
    const end = place + step.length;
    if (i === 0 && isNamed) {
      const name = /^[^.[(]*/.exec(step)?.[0].trimEnd() ?? "";
      add("name", place, place + name.length);
      add("path", place + name.length, end);
    } else if (i === 0) {
      if (hasPath) add("path", place, end);
    } else addStep(pieces, add, { text, step, place, end });
    place = end + 2;
  }
}

function addStep(
  pieces: Piece[],
  add: (kind: Piece["kind"], start: number, end: number) => void,
  { text, step, place, end }: { readonly text: string; readonly step: string; readonly place: number; readonly end: number },
): void {
  const [lead = "", name = ""] = /^(\s*)([A-Za-z_]\w*)?/.exec(step)?.slice(1) ?? [];
  const isFilter = filterArity(name) !== undefined;
  const nameEnd = place + lead.length + name.length;
  add(isFilter ? "filter" : "path", place + lead.length, isFilter ? nameEnd : end);
  if (!isFilter) return;
  const nested = piecesIn(text, nameEnd, end);
  if (nested.length > 0) pieces.push(...nested);
  else add("argument", nameEnd, end);
}

/** The texts between the arrows outside brackets. */
function stepsOf(text: string): readonly string[] {
  const steps: string[] = [];
  let depth = 0;
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text[i] ?? "";
    if ("([{".includes(c)) depth += 1;
    else if (")]}".includes(c) && depth > 0) depth -= 1;
    else if (c === "-" && text[i + 1] === ">" && depth === 0) {
      steps.push(text.slice(from, i));
      from = i + 2;
    }
  }
  return [...steps, text.slice(from)];
}
