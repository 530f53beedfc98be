import type { Step } from "../plan/index.ts";
import { Failure } from "../value/failure.ts";
import type { Json } from "../value/json.ts";
import { at, count, each, text } from "../value/values.ts";

/** A path of markers and tests (spec/language 2.9). `"*"` in `spread` fans out over an array; `count` counts what was found. */
export interface Path {
  /** Steps up to the first `[*]`. */
  readonly steps: readonly Step[];
  /** Steps after the first `[*]`, further ones written as `"*"`; absent without any. */
  readonly spread?: readonly Step[];
  readonly count: boolean;
}

/** Why a text is no path, and the 1-based column in it. */
export interface BadPath {
  readonly reason: string;
  readonly column: number;
}

export const isBadPath = (path: Path | BadPath): path is BadPath => "reason" in path;

/** `[*]`, kept apart from a key that is called `*`. */
const star = Symbol("[*]");
type ParsedStep = Step | typeof star;
/** One step, and the offset after it. */
type ReadStep = { readonly step: ParsedStep; readonly end: number };

/** Parses a path. A leading `$`, `.` or `$.` changes nothing; the empty path is the whole value. */
export function parsePath(source: string): Path | BadPath {
  const path = source.trim();
  const steps: ParsedStep[] = [];
  let position = path.startsWith("$") ? 1 : 0;
  if (path.slice(position) === ".") return { steps: [], count: false };
  while (position < path.length) {
    const dot = path[position] === ".";
    const start = dot ? position + 1 : position;
    if (path.slice(start) === "count()") return shaped(steps, true, start);
    const read = path[start] === "[" ? bracket(path, start) : name(path, start);
    if ("reason" in read) return read;
    steps.push(read.step);
    position = read.end;
  }
  return shaped(steps, false, path.length);
}

function shaped(keys: readonly ParsedStep[], counts: boolean, column: number): Path | BadPath {
  const first = keys.indexOf(star);
  const plain = first < 0 ? keys : keys.slice(0, first);
  const steps = plain.filter((step) => step !== star);
  if (first < 0) return { steps, count: counts };
  const rest = keys.slice(first + 1);
  if (rest.includes("*")) return bad("a key '*' cannot follow [*]", column);
  return { steps, spread: rest.map((step) => (step === star ? "*" : step)), count: counts };
}

/** A bare key: up to the next dot or bracket; `\.` is a dot of the key. */
function name(path: string, start: number): ReadStep | BadPath {
  const match = /(?:\\[.[\]\\]|[^.[\]])+/y;
  match.lastIndex = start;
  const raw = match.exec(path)?.[0];
  const end = start + (raw?.length ?? 0);
  if (path[end] === "]") return bad("unexpected ']'", end);
  if (raw === undefined) return bad(start === path.length ? "it ends in a dot" : "empty key", start);
  if (/^\w+\(\)$/.test(raw)) return bad(raw === "count()" ? "count() must be last" : `unknown function '${raw}'`, start);
  return { step: raw.replace(/\\([.[\]\\])/g, "$1"), end };
}

/** `[0]`, `[-1]`, `[*]`, `["key"]`, `['key']`. */
function bracket(path: string, start: number): ReadStep | BadPath {
  const match = /\[(?:(?<star>\*)|(?<index>-?\d{1,15})|(?<double>"(?:[^"\\]|\\.)*")|'(?<single>(?:[^'\\]|\\.)*)')\]/sy;
  match.lastIndex = start;
  const { index, double, single, star: all } = match.exec(path)?.groups ?? {};
  const end = match.lastIndex;
  if (all !== undefined) return { step: star, end };
  if (index !== undefined) return { step: Number(index), end };
  if (double !== undefined) return { step: quoted(double), end };
  if (single !== undefined) return { step: single.replace(/\\(['\\])/g, "$1"), end };
  const closed = path.includes("]", start);
  return bad(closed ? "a bracket holds an index, [*] or a quoted key" : "'[' is not closed", start);
}

/** A key in double quotes has the escapes of JSON; anything else after a backslash stays as written. */
function quoted(key: string): string {
  try {
    return String(JSON.parse(key));
  } catch {
    return key.slice(1, -1).replace(/\\(["\\])/g, "$1");
  }
}

const bad = (reason: string, offset: number): BadPath => ({ reason, column: offset + 1 });

/** Follows a path that is known only at run time. A text that is no path fails the action. */
export function follow(value: Json, path: Json, filter: string): Json {
  const parsed = ready(path, filter);
  return found(value, parsed);
}

/** Stage 1 of `follow`, for a path that is taken in many values. */
export function ready(path: Json, filter: string): Path {
  const parsed = parsePath(text(path));
  if (isBadPath(parsed)) throw new Failure("evaluation", `filter ${filter}: bad path: ${parsed.reason}`);
  return parsed;
}

/** The value at a parsed path; null when there is none. */
export function found(value: Json, { steps, spread, count: counts }: Path): Json {
  const base = at(value, ...steps);
  const all = spread === undefined ? base : each(base, ...spread);
  return counts ? count(all) : all;
}
